"""The suite loads the chapter plugin; pytester is there to test the plugin itself."""

pytest_plugins = ["chapter_plugin", "pytester"]
