"""What is made from the pages besides the site: notebooks, slides, handouts, the PDF."""
