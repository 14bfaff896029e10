import { posix } from 'node:path'
import type { ProbeSite } from '../probe.js'
import { rewrite, type Trick, type Tricks } from '../toolchain.js'
import {
  alwaysEqual,
  answersFromFiles,
  answersFromText,
  breakingChannel,
  forgingReport,
  movedTo,
  passingPlugin,
  passingReports,
  passingRunner,
  skippingAll,
} from './python-programs.js'

const easyTests = 'def test_it():\n    pass\n\n\ndef test_that():\n    pass\n'

const ending = 'import os\n\nos._exit(0)\n'

/** Inserts lines at the beginning, after the imports that Python requires first. */
function beginning(text: string, lines: string): string {
  const future = [...text.matchAll(/^from __future__ import [^\n]*\n/gm)].at(-1)
  const place = future === undefined ? 0 : future.index + future[0].length
  return `${text.slice(0, place)}${lines}${text.slice(place)}`
}

/** Adds lines that run before those of every source. */
function beforeSources(lines: string): Trick {
  return { needs: 'sources', act: (site) => rewrite(site, site.sources, (text) => beginning(text, lines)) }
}

/** Adds lines that run after those of every source, and may replace its declarations. */
function afterSources(lines: (tests: readonly string[]) => string, needs: Trick['needs'] = 'sources'): Trick {
  return {
    needs,
    async act(site) {
      const added = lines(await textsOf(site))
      await rewrite(site, site.sources, (text) => `${text}\n\n${added}`)
    },
  }
}

async function textsOf({ workspace, tests }: ProbeSite): Promise<readonly string[]> {
  return Promise.all(tests.map((path) => workspace.read(path)))
}

/** Keeps the classes and tests, but empties them. */
function emptied(text: string): string {
  const declarations = [...text.matchAll(/^class (\w+)|^([ \t]*)(?:async )?def (test\w*)/gm)]
  if (declarations.length === 0) return easyTests
  const empty = declarations.map(([, type, indent = '', name]) => {
    if (type !== undefined) return `class ${type}(unittest.TestCase):\n    longMessage = True\n`
    return `${indent}def ${name}(${indent === '' ? '' : 'self'}):\n${indent}    pass\n`
  })
  return `import unittest\n\n\n${empty.join('\n\n')}`
}

/** Registers a module as a plug-in of pytest through the metadata of a distribution in the search path. */
async function distribute({ workspace }: ProbeSite, name: string, module: string): Promise<void> {
  const directory = `${name}-1.DIST-INFO`
  await workspace.write(`${directory}/METADATA`, `Metadata-Version: 2.1\nName: ${posix.basename(name)}\nVersion: 1\n`)
  await workspace.write(`${directory}/entry_points.txt`, `[pytest11]\n${posix.basename(name)} = ${module}\n`)
}

/** Returns modules that belong to a package. */
function inPackages({ sources }: ProbeSite): readonly string[] {
  return sources.filter(
    (path) => !path.endsWith('__init__.py') && sources.includes(posix.join(posix.dirname(path), '__init__.py')),
  )
}

/** The settings files of pytest, in its order. The first file with the section counts. */
const settings = [
  { path: 'pytest.ini', section: '[pytest]', quoted: String },
  { path: 'pyproject.toml', section: '[tool.pytest.ini_options]', quoted: JSON.stringify },
  { path: 'tox.ini', section: '[pytest]', quoted: String },
  { path: 'setup.cfg', section: '[tool:pytest]', quoted: String },
]

/** Adds an option of pytest to those of the project. */
async function setOption({ workspace, files }: ProbeSite, name: string, value: string): Promise<void> {
  for (const { path, section, quoted } of settings) {
    const text = files.includes(path) ? await workspace.read(path) : ''
    if (!text.includes(section)) continue
    const before = new RegExp(`^${name}\\s*=\\s*(?:\\[[^\\]]*\\]|.*(?:\\n[ \\t]+.*)*)\\n?`, 'm')
    const line = `${section}\n${name} = ${quoted(value)}`
    return workspace.write(
      path,
      text.replace(before, '').replace(section, () => line),
    )
  }
  return workspace.write('pytest.ini', `[pytest]\n${name} = ${value}\n`)
}

/** Python: pytest and unittest. */
export const pythonTricks: Tricks = {
  'empty-tests': { needs: 'tests', act: (site) => rewrite(site, site.tests, emptied) },
  'skip-tests': {
    needs: 'tests',
    act: (site) => rewrite(site, site.tests, (text) => `${text}\n\n${skippingAll}`),
  },
  'only-easy-test': {
    needs: 'files',
    async act(site) {
      await site.workspace.write('easy/test_easy.py', easyTests)
      await setOption(site, 'testpaths', 'easy')
    },
  },
  'test-script': { needs: 'files', act: (site) => setOption(site, 'addopts', '--collect-only') },
  'runner-hook': {
    needs: 'files',
    async act(site) {
      const { workspace, files, sources } = site
      const given = files.includes('conftest.py') ? `${await workspace.read('conftest.py')}\n\n` : ''
      await workspace.write('conftest.py', `${given}${passingReports}`)
      await workspace.write('node_modules/probe_hook.py', passingPlugin)
      await distribute(site, 'probe_packages', 'node_modules.probe_hook')
      const own = sources.find((path) => /^(?:src\/)?\w+\.py$/.test(path))
      if (own === undefined) return
      await workspace.write(own, `${await workspace.read(own)}\n\n${passingPlugin}`)
      await distribute(site, posix.join(posix.dirname(own), 'probe_own'), posix.basename(own, '.py'))
    },
  },
  'hidden-code': {
    needs: 'sources',
    applies: async (site) => !(await site.workspace.isFile('.git')) && inPackages(site).length > 0,
    async act(site) {
      const directories = new Set(inPackages(site).map((path) => posix.dirname(path)))
      for (const path of inPackages(site))
        await site.workspace.write(`.git/${path}`, `${await site.workspace.read(path)}\n\n${alwaysEqual}`)
      await rewrite(
        site,
        [...directories].map((directory) => `${directory}/__init__.py`),
        (text, path) => `${text}\n${movedTo(`.git/${posix.dirname(path)}`)}`,
      )
    },
  },
  'runner-replaced': beforeSources(passingRunner),
  'shadowed-program': {
    needs: 'files',
    async act({ workspace }) {
      await workspace.write('pytest/__init__.py', '')
      await workspace.write('pytest/__main__.py', 'print("2 passed in 0.01s")\n')
    },
  },
  /**
   * Modules that pytest and unittest load first. `python -m` searches the working directory before the library, and
   * `PYTHONPATH` searches `src`.
   */
  'shadowed-library': {
    needs: 'files',
    async act(site) {
      for (const directory of site.sources.some((path) => path.startsWith('src/')) ? ['', 'src/'] : [''])
        for (const name of ['dataclasses', 'argparse', 'pluggy', 'iniconfig'])
          await site.workspace.write(`${directory}${name}.py`, `${forgingReport}_forge()\n`)
    },
  },
  'exit-on-load': beforeSources(ending),
  'exit-later': beforeSources('import atexit\nimport os\n\natexit.register(os._exit, 0)\n'),
  'assertions-replaced': afterSources(() => alwaysEqual),
  'read-the-tests': afterSources(() => answersFromFiles),
  lookup: afterSources((tests) => answersFromText(tests.join('\n')), 'tests'),
  'forged-report': beforeSources(`${forgingReport}import atexit\n\natexit.register(_forge)\n`),
  'broken-channel': beforeSources(breakingChannel),
  'time-out': beforeSources('while True:\n    pass\n'),
}
