# The book's commands. `make help` lists them; MAINTAINING has those of a maintainer.

PY := .venv/bin/python
RUNTIME := $(CURDIR)/.cache
BOOK := _build/html/index.html
PORT ?= 8000
export LANGUAGES

# Nothing is written outside the checkout, unless you share a cache of uv's (UV_CACHE_DIR).
export UV_CACHE_DIR ?= $(RUNTIME)/uv
export UV_PYTHON_INSTALL_DIR ?= $(RUNTIME)/python
# What Python reads as it starts; `bookkit/shell.py` has the other variables.
unexport $(filter PYTHON%,$(.VARIABLES))
export PYTHONNOUSERSITE := 1
export PYTHONUTF8 := 1
export PYTHONIOENCODING := utf-8
PYTHON ?=
# Any of these installs uv, from 3.8 on, which fetches Python 3.12 where there is none.
PYTHONS := "$(PYTHON)" python3.12 python3 python python3.13 python3.11 python3.10
RUNS := -c "import sys; sys.exit(sys.version_info < (3, 8))"

.NOTPARALLEL:  # two commands would execute the same pages twice
.PHONY: environments run lock upgrade $(shell sed -n 's/^\([a-z-]*\):.*\#\#.*/\1/p' Makefile)

help: ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

environments:
	@for p in $(PYTHONS); do \
	  if [ -n "$$p" ] && "$$p" $(RUNS) 2>/dev/null; then exec "$$p" -m tools.environments; fi; \
	done; echo "error: no Python found: install Python 3.12, then run make again." >&2; exit 1

book: environments ## execute the pages, build the site, warnings as errors (LANGUAGES=en)
	@$(PY) -m bookkit
	@$(PY) -m bookkit.build

page: environments ## execute, test and build one page (P=leaf-order)
	@$(PY) -m evidence.variation --quick "$(P)"
	@$(PY) -m tools.make_page "$(P)" $(ARGS)

case: environments ## lay down a new case (NAME=my-case)
	@$(PY) -m bookkit.new_case "$(NAME)"

translations: environments ## bring the catalogues of all languages up to date (CODES=de for a new one)
	@$(PY) -m bookkit
	@$(PY) -m bookkit.translations $(CODES)

test: environments ## run every cell of every page, and the tests (ARGS=--update)
	@$(PY) -m pytest $(ARGS)

PART ?= site
CHECKS_look := site_checks
CHECKS_use := languages_checks steps_checks predict_checks triage_checks
CHECKS_site := $(CHECKS_look) $(CHECKS_use)
CHECKS_print := pdf_checks workshop_checks
CHECKS_growth := growth_checks
CHECKS_binder := binder_checks
NEEDS_print := book pdf workshop
NEEDS_binder := environments

check: $(or $(NEEDS_$(PART)),book) ## look at what was built (PART=site, print, growth, binder)
	@$(PY) -m pytest -q \
	  $(or $(CHECKS_$(PART):%=tests/%.py),$(error PART is site, print, growth or binder))

pdf: book ## print the book as _build/trace-evidence.pdf, with the machine's Chromium (LANGUAGES=zh-cn)
	@$(PY) -m bookkit.formats.pdf

serve: book ## serve the site on loopback (PORT=8000)
	@echo "Open http://127.0.0.1:$(PORT)/ (Ctrl-C stops it)."
	@$(PY) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT) >/dev/null 2>&1 || \
	  echo "error: $(PORT) is no free port of yours: choose another, as in make serve PORT=8001." >&2

lab: environments ## make the pages' notebooks, and open them in JupyterLab with both kernels
	@$(PY) -m bookkit.formats.notebooks
	@$(PY) -m bookkit.run -m jupyter lab --ip 127.0.0.1 --notebook-dir notebooks \
	  --LabApp.default_url /lab/tree/index.md \
	  $$([ "$$(id -u)" != 0 ] || echo --allow-root)  # in a container, root is who there is

doctor: environments ## see in a minute whether this machine is ready: both kernels, memory
	@$(PY) -m bookkit.run -m tools.doctor

workshop: environments ## make notebooks for learners and instructor, slides and handouts
	@$(PY) -m bookkit.formats.learner
	@$(PY) -m bookkit $$($(PY) -m bookkit.taught)
	@$(PY) -m bookkit.formats.workshop

measure: environments ## measure what is new or changed, on stacks old and new (ARGS="case --newest")
	@$(PY) -m bookkit.run -m evidence $(ARGS)

# What a maintainer runs: make run M="tools.latest"
run: environments
	@$(PY) -m bookkit.run -m $(M)

UV := .venv/bin/uv
LOCK := $(UV) pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header
THEN_DATE := 2024-09-01

lock: environments
	$(LOCK) --upgrade pyproject.toml --all-extras $(addprefix --group ,lab book install dev workshop) \
	  -o requirements.txt
	$(LOCK) pyproject.toml --extra notebook --group lab --group install -c requirements.txt \
	  -o binder/requirements.txt
	$(PY) -m evidence.stacks
	$(LOCK) --upgrade evidence/stacks/then.in --exclude-newer $(THEN_DATE) -o evidence/stacks/then.txt

# Moves the book to the newest releases. A step that fails needs a person: the next ones run all the
# same, and the end names it. After an interruption or a correction, run it again.
STEPS := evidence "evidence variation" bookkit "pytest -q book --update" bookkit.translations \
  "pytest -q -m 'slow or not slow' tests"
upgrade: lock
	$(MAKE) environments
	@wrong=; for step in $(STEPS); do echo "python -m $$step …"; \
	  eval "$(PY) -m $$step" || wrong="$$wrong  python -m $$step\n"; done; \
	echo "Read what changed, and the text beside it:"; \
	git diff --stat -- book tests/outputs evidence/rows; \
	[ -z "$$wrong" ] || { printf "error: see above what these say:\n$$wrong" >&2; exit 1; }

lint: environments ## check the style of the code, its types, the workflows, and the spelling
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy
	@.venv/bin/zizmor --offline --quiet --min-severity medium .github
	@.venv/bin/codespell *.md book paper evidence/upstream .github
	@! git grep -nE '^(<{7}|>{7}) '  # the marks of a merge

clean: ## remove the environments and all that was built, and keep downloads and notebooks
	rm -rf .venv .venv-then _build $(filter-out .cache/uv .cache/python,$(wildcard .cache/*))
