import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { greeting, modes, study, twelve } from './study.js'

const unloaded = [
  ...[
    'wrong-place',
    'only-workspace',
    'other-home',
    'disabled',
    'evals-only',
    'needs-manifest',
    'needs-mode',
    'too-many',
  ],
  ...[
    'names-only',
    'cut',
    'body-only',
    'collision',
    'always',
    'always-reversed',
    'upper-case',
    'exits',
    'config-broken',
  ],
  ...['empty-request', 'lists-models', 'silent'],
]

test.each(unloaded)('an arm that was not loaded is an error, and nothing runs: %s', async (mode) => {
  using made = study(twelve, modes(mode))
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', mode, '--json')
  const isSilent = ['lists-models', 'silent'].includes(mode)
  expect([code, JSON.parse(stdout).error.code]).toEqual([3, isSilent ? 'loading-unproven' : 'arm-not-loaded'])
  expect(readdirSync(made.directory)).not.toContain('results')
})

test('all workspaces of both arms are equal, and hold neither the skill nor an answer', async () => {
  using made = study([greeting(1, { files: ['evals/files/guest.txt', 'references/marks.md', 'SKILL.md'] })])
  made.write({ 'mark/evals/files/guest.txt': 'Ada\n', 'seen/.keep': '' })
  const config = `agents:\n  plain: { command: [node, agent.mjs, plain], environment: { set: { SEEN: ${join(made.directory, 'seen')} } } }\n`
  made.write({ 'jurist.config.yaml': config })
  const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'plain', '--repeat', '15')
  expect([code, stderr]).toEqual([0, expect.stringContaining('SKILL.md, references/marks.md')])
  const seen = readdirSync(join(made.directory, 'seen')).filter((name) => name.endsWith('.json'))
  expect(['0', '1'].map((arm) => seen.filter((name) => name.startsWith(arm)).length)).toEqual([15, 15])
  for (const name of seen)
    expect(JSON.parse(readFileSync(join(made.directory, 'seen', name), 'utf8'))).toEqual([['guest.txt', 'Ada\n']])
})
