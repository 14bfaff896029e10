import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { modes, study, twelve } from './study.js'

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
