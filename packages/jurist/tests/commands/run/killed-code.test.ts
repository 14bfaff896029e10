import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'

const config = (source: string, code: string, judge: string) => `experiments:
  loops:
    dataset: dataset
    agent: { command: [sh, -c, "printf '%s' \\"$CODE\\" > ${source}"] }
    environment: { set: { CODE: ${JSON.stringify(code)} } }
    jury: { type: tests-pass, ${judge}, isolate: child }
`
const dataset =
  '{ "schemaVersion": 1, "name": "loops", "version": "1.0.0", "description": "", "items": [{ "id": "a", "path": "a" }] }'

/** Code that writes down its process, and loops. */
const languages = {
  JavaScript: {
    program: 'npm',
    judge: 'tool: npm, arguments: [test], overlay: { paths: [tests, package.json] }',
    source: 'a.mjs',
    code: "import { writeFileSync } from 'node:fs'\nexport const a = () => { writeFileSync('PLACE', String(process.pid)); for (;;) {} }\n",
    reference: {
      'package.json': '{ "scripts": { "test": "node --test" } }',
      'tests/a.test.mjs':
        "import { test } from 'node:test'\nimport { a } from '../a.mjs'\ntest('a', () => { if (a() !== 1) throw new Error('no') })\n",
      'a.mjs': 'export const a = () => 1\n',
    },
  },
  Python: {
    program: 'python3',
    judge: 'command: python3 -m unittest tests.test_a, overlay: { paths: [tests] }',
    source: 'a.py',
    code: "import os\ndef a():\n    with open('PLACE', 'w') as place:\n        place.write(str(os.getpid()))\n    while True:\n        pass\n",
    reference: {
      'tests/__init__.py': '',
      'tests/test_a.py':
        'import unittest\nfrom a import a\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(a(), 1)\n',
      'a.py': 'def a():\n    return 1\n',
    },
  },
} as const

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(20)
}

describe.concurrent.each(['JavaScript', 'Python'] as const)('kill -9 while isolated code in %s loops', (language) => {
  const { program, judge, source, code, reference } = languages[language]

  test.skipIf(spawnSync(program, ['--version']).status !== 0)(`ends the code, too (needs ${program})`, async () => {
    using made = project({ 'dataset/dataset.json': dataset, 'dataset/a/item.json': '{ "developerTask": "Return 1." }' })
    const place = join(made.directory, 'process')
    made.write({ 'jurist.config.yaml': config(source, code.replace('PLACE', place), judge) })
    for (const [path, text] of Object.entries(reference))
      made.write({ [`dataset/a/reference/${path}`]: text, [`dataset/a/before/${path}`]: text })
    const { child, ended } = made.start('run')
    await Promise.race([until(() => existsSync(place) && readFileSync(place, 'utf8') !== ''), ended])
    const id = Number(readFileSync(place, 'utf8'))
    expect(isRunning(id)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !isRunning(id))
  })
})
