# The book's commands. `make help` lists them.

PY := .venv/bin/python
RUNTIME := $(CURDIR)/.cache
BOOK := _build/html/index.html
PORT ?= 8000
export LANGUAGES

# Nothing is written outside the checkout, unless you share a cache of uv's (UV_CACHE_DIR).
export UV_CACHE_DIR ?= $(RUNTIME)/uv
export UV_PYTHON_INSTALL_DIR ?= $(RUNTIME)/python
export IPYTHONDIR := $(RUNTIME)/ipython
export JUPYTER_CONFIG_DIR := $(RUNTIME)/jupyter/config
export JUPYTER_DATA_DIR := $(RUNTIME)/jupyter/data
export MPLCONFIGDIR := $(RUNTIME)/matplotlib
export PYTHONDONTWRITEBYTECODE :=
export PYTHONNOUSERSITE := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1
export JAX_PLATFORMS := cpu
unexport PYTHONPATH
PYTHON ?=
export PYTHON
# Any of these finds or fetches Python 3.11, from 3.8 on.
PYTHONS := "$(PYTHON)" python3.11 python3 python python3.13 python3.12 python3.10
RUNS := -c "import sys; sys.exit(sys.version_info < (3, 8))"

.NOTPARALLEL:  # two commands would execute the same pages twice
.PHONY: environments $(shell sed -n 's/^\([a-z-]*\):.*\#\#.*/\1/p' Makefile)

help: ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

environments:
	@for p in $(PYTHONS); do \
	  if [ -n "$$p" ] && "$$p" $(RUNS) 2>/dev/null; then exec "$$p" -m tools.environments; fi; \
	done; echo "error: no Python found: install Python 3.11, then run make again." >&2; exit 1

book: environments ## execute the pages, build the site, warnings as errors (LANGUAGES=en)
	@$(PY) -m bookkit.publish
	@$(PY) -m bookkit
	@$(PY) -m bookkit.build

page: environments ## execute, test and build one page (P=leaf-order)
	@$(PY) -m tools.variations --quick "$(P)"
	@$(PY) -m bookkit.one "$(P)" $(ARGS)

case: environments ## lay down a new case that passes all but its own claims (NAME=my-case)
	@$(PY) -m bookkit.scaffold case "$(NAME)"

chapter: environments ## lay down a new chapter (NAME=my-chapter)
	@$(PY) -m bookkit.scaffold chapter "$(NAME)"

translations: environments ## bring the catalogues of all languages up to date, and count (CODES=de for a new one)
	@$(PY) -m bookkit
	@$(PY) -m bookkit.translations $(CODES)

records: environments ## write trace_evidence/data.json, what the package knows of the book, and the paper's figures
	@$(PY) -m bookkit.publish

test: environments ## run the test suite: every cell of every chapter, and the tools (ARGS=--update, --again)
	@$(PY) -m pytest $(ARGS)

check-growth: book ## add a case in a scratch copy, in one file, and build it
	@$(PY) -m pytest -q tests/growth_checks.py

check-site: book ## open every page in a browser: nothing from elsewhere, light, accessible, findable
	@$(PY) -m pytest -q tests/site_checks.py tests/editions_checks.py tests/steps_checks.py tests/triage_checks.py

pdf: book ## print the book as _build/trace-evidence.pdf, with the machine's Chromium (LANGUAGES=zh-cn)
	@$(PY) -m bookkit.editions.pdf

check-pdf: pdf ## look at that PDF: every page, figure and number there, nothing of the screen
	@$(PY) -m pytest -q tests/pdf_checks.py

links: environments ## try every link that leads elsewhere (needs the network)
	@$(PY) -m tools.links

serve: book ## serve the site on loopback (PORT=8000)
	@echo "Open http://127.0.0.1:$(PORT)/ (Ctrl-C stops it)."
	@$(PY) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT) >/dev/null 2>&1 || \
	  echo "error: port $(PORT) is taken: choose another with make serve PORT=8001." >&2

lab: environments ## open the chapters as notebooks in JupyterLab, with both kernels
	@$(PY) -m jupyter lab --ip 127.0.0.1 --notebook-dir . \
	  $$([ "$$(id -u)" != 0 ] || echo --allow-root)  # in a container, root is who there is

doctor: ## see in a minute whether this machine is ready: Python, kernels, memory, disk, ports
	@for p in $(PY) $(PYTHONS); do \
	  if [ -n "$$p" ] && "$$p" $(RUNS) 2>/dev/null; then exec "$$p" -m tools.doctor; fi; \
	done; echo "error: no Python found: install Python 3.11, then run make doctor again." >&2; exit 1

workshop: environments ## make student and instructor notebooks, slides and handouts
	@$(PY) -m bookkit
	@$(PY) -m bookkit.editions.workshop

hub: environments ## start a JupyterHub on loopback, with both kernels (PORT=8010)
	@$(PY) -m hub.start

hub-load: environments ## measure that hub with 1, 2, 4 and 8 learners, and break it
	@nice -n 5 $(PY) -m hub.load

check-binder: environments ## do what Binder does, in an empty folder, and execute a chapter there
	@$(PY) -m tools.binder_check

check-workshop: workshop ## check the workshop edition, and execute a student's notebook
	@$(PY) -m pytest -q tests/workshop_checks.py

bench: environments ## print what the book costs: time, memory, size
	@$(PY) -m tools.bench
	@$(PY) -m tools.weight

matrix: environments ## measure every failure on every stack in stacks/matrix
	@$(PY) -m stacks.measure

hash-history: environments ## measure what each release of JAX does when a tracer is hashed
	@$(PY) -m stacks.hash_history

recordings: environments ## record what each error says on stacks old and new
	@$(PY) -m stacks.recordings
	@$(PY) -m stacks.everyday

score: environments ## print how well triage and symptoms answer real reports, by kind
	@$(PY) -m tools.score

latest: environments ## run the chapters on the newest releases, without the lock (WITH="jax==0.9.2")
	@$(PY) -m tools.latest --with "$(WITH)"

mutate: environments ## break the book in 400 small ways, and count what the suite notices (ARGS="--number 60")
	@nice -n 5 $(PY) -m tools.mutate $(ARGS)

plain-sphinx: environments ## build the book with the newest Sphinx, without Jupyter Book (ON=3.13)
	@$(PY) -m bookkit
	@$(PY) -m tools.plain_sphinx --python "$(ON)"

colab: environments ## make the foundations' notebooks for Colab, in _build/notebooks
	@$(PY) -m bookkit.editions.colab

check-colab: environments ## execute those notebooks as Colab does, with its Python and IPython
	@$(PY) -m tools.colab_check

upstream: environments ## prove the patches for the libraries (P=leaf-order, NUMPYRO=a checkout)
	@$(PY) -m tools.upstream --checkout "$(NUMPYRO)" $(P)

examine-cases: environments ## examine each silent case as a model and its cured twin, keep the record
	@$(PY) -m tools.examining.detection --write

examine-corpus: environments ## examine the models of a checkout (CHECKOUT=../numpyro HALF=seen)
	@$(PY) -m tools.examining.corpus $(if $(CHECKOUT),"$(CHECKOUT)" --half "$(or $(HALF),seen)")

UV := .venv/bin/uv
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header
THEN_DATE := 2024-09-01

lock: environments ## resolve the newest stack again and write the locks
	$(LOCK) --upgrade pyproject.toml --all-extras -o requirements.txt
	$(LOCK) pyproject.toml --extra notebook --extra lab --extra install -c requirements.txt -o binder/requirements.txt
	$(LOCK) --upgrade hub/requirements.in -o hub/requirements.txt
	$(PY) -m stacks.measure --lock
	$(UV) pip compile --quiet --python-version 3.11 --no-header --no-annotate --generate-hashes \
	  --upgrade stacks/recordings/frameworks.in -o stacks/recordings/frameworks.txt
	$(LOCK) --upgrade stacks/then.in --exclude-newer $(THEN_DATE) -o stacks/then.txt

lock-row: environments ## lock one stack of stacks/matrix, and leave all else (ROW=0.23.0)
	@[ -f "stacks/matrix/$(ROW).in" ] || { echo "error: say which row: make lock-row ROW=0.23.0, \
	where stacks/matrix/0.23.0.in has its pins." >&2; exit 1; }
	@$(PY) -m stacks.measure --lock --rows "$(ROW)"

lint: environments ## check the style of the code, its types, and the prose
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy && .venv/bin/python -m tools.english

clean: ## remove the environments and all that was built
	rm -rf .venv .venv-then .cache _build
