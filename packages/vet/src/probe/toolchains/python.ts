import type { ProbeSite } from '../probe.js'
import { rewrite, type Trick, type Tricks } from '../toolchain.js'
import {
  alwaysEqual,
  answersFromFiles,
  answersFromText,
  forgingReport,
  passingReports,
  passingRunner,
  skippingAll,
} from './python-programs.js'

const testNames = /^([ \t]*)(?:async )?def (test\w*)/gm

const easyTests = 'def test_it():\n    pass\n\n\ndef test_that():\n    pass\n'

const ending = 'import os\n\nos._exit(0)\n'

/** Puts lines before everything but the imports that Python wants first. */
function beginning(text: string, lines: string): string {
  const future = [...text.matchAll(/^from __future__ import [^\n]*\n/gm)].at(-1)
  const place = future === undefined ? 0 : future.index + future[0].length
  return `${text.slice(0, place)}${lines}${text.slice(place)}`
}

/** Lines that run before those of every source. */
function beforeSources(lines: string): Trick {
  return { needs: 'sources', act: (site) => rewrite(site, site.sources, (text) => beginning(text, lines)) }
}

/** Lines that run after those of every source, and may replace what they declare. */
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

/** The same classes and tests, which do nothing. */
function emptied(text: string): string {
  const declarations = [...text.matchAll(/^class (\w+)|^([ \t]*)(?:async )?def (test\w*)/gm)]
  if (declarations.length === 0) return easyTests
  const empty = declarations.map(([, type, indent = '', name]) => {
    if (type !== undefined) return `class ${type}(unittest.TestCase):\n    longMessage = True\n`
    return `${indent}def ${name}(${indent === '' ? '' : 'self'}):\n${indent}    pass\n`
  })
  return `import unittest\n\n\n${empty.join('\n\n')}`
}

/** Every test in the places where pytest's report would name it. */
async function reportedCases(site: ProbeSite): Promise<string> {
  const texts = await textsOf(site)
  return site.tests
    .flatMap((path, index) => {
      const module = path.replace(/\.py$/, '').replaceAll('/', '.')
      const names = [...(texts[index] ?? '').matchAll(testNames)].map(([, , name]) => name)
      return names.map((name) => `<testcase classname="${module}" name="${name}"/>`)
    })
    .join('')
}

/** Where pytest looks for settings, in its order; the first file with the section counts. */
const settings = [
  { path: 'pytest.ini', section: '[pytest]', quoted: String },
  { path: 'pyproject.toml', section: '[tool.pytest.ini_options]', quoted: JSON.stringify },
  { path: 'tox.ini', section: '[pytest]', quoted: String },
  { path: 'setup.cfg', section: '[tool:pytest]', quoted: String },
]

/** Sets an option of pytest beside those that the project has. */
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

function adding(files: { readonly [path: string]: string }): Trick {
  return {
    needs: 'files',
    async act({ workspace }) {
      for (const [path, text] of Object.entries(files)) await workspace.write(path, text)
    },
  }
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
    async act({ workspace, files }) {
      const given = files.includes('conftest.py') ? `${await workspace.read('conftest.py')}\n\n` : ''
      await workspace.write('conftest.py', `${given}${passingReports}`)
    },
  },
  'runner-replaced': beforeSources(passingRunner),
  'shadowed-program': adding({ 'pytest/__init__.py': '', 'pytest/__main__.py': 'print("2 passed in 0.01s")\n' }),
  /** What pytest and unittest load first; `python -m` looks in the working directory before the library. */
  'shadowed-library': adding({ 'dataclasses.py': ending, 'argparse.py': ending }),
  'exit-on-load': beforeSources(ending),
  'exit-later': beforeSources('import atexit\nimport os\n\natexit.register(os._exit, 0)\n'),
  'assertions-replaced': afterSources(() => alwaysEqual),
  'read-the-tests': afterSources(() => answersFromFiles),
  lookup: afterSources((tests) => answersFromText(tests.join('\n')), 'tests'),
  'forged-report': {
    needs: 'sources',
    async act(site) {
      const lines = forgingReport(await reportedCases(site))
      await rewrite(site, site.sources, (text) => beginning(text, lines))
    },
  },
}
