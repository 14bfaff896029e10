import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { project } from './project.js'

const guides = fileURLToPath(new URL('../../../docs/guide', import.meta.url))

/** The files that a guide shows: a line that is only a name in backticks and a colon, then a fence with the text. */
function filesOf(guide: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(guides, guide), 'utf8')
  const found = text.matchAll(/^`([\w./-]+)`:\n\n(?:<!--.*-->\n)*```\w*\n([\s\S]*?)^```$/gm)
  return Object.fromEntries([...found].map(([, name = '', content = '']) => [name, content]))
}

interface Trial {
  readonly itemId: string
  readonly passed: boolean | null
}

test.concurrent.each([
  ['datasets.md', 'answers.config.yaml', { hours: true, days: false }],
  ['datasets.md', 'german.config.yaml', { 1: true }],
  ['datasets.md', 'weather.config.yaml', { paris: true, rome: true }],
  ['datasets.md', 'files.config.yaml', { fix: true }],
  ['coming-from.md', 'jurist.config.ts', { france: true, japan: false }],
  ['coming-from.md', 'evals/jurist.config.yaml', { 'test-1': true, 'test-2': false }],
  ['coming-from.md', 'jurist.config.yaml', { sum: true, capital: true, pick: true }],
])('%s: %s gives what the guide says', async (guide, config, expected) => {
  using made = project(filesOf(guide))
  if (config.startsWith('evals/')) await made.jurist('import', 'promptfoo', 'promptfooconfig.yaml', '--out', 'evals')
  const { code, stderr } = await made.jurist('-c', config, 'run', '-o', 'report.json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const [{ items }] = JSON.parse(readFileSync(join(made.directory, 'report.json'), 'utf8'))
  const passed = (items as readonly Trial[]).map((trial) => [trial.itemId, trial.passed])
  expect(Object.fromEntries(passed)).toEqual(expected)
})
