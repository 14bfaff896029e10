import { JuristError } from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { explained } from '../src/command/resume-hint.js'
import { configOf, project } from './project.js'

describe('a store that broke in the middle', () => {
  const run = { runId: 'r1', experimentName: 'demo', session: null, trials: 4, stored: 1, ended: false }
  const failed = (remedy: string) =>
    new JuristError('store-failed', `Could not write items.jsonl: no space left. ${remedy}`, { path: 'items.jsonl' })

  test('says once what to do', () => {
    expect(explained(failed('Make room, then go on.'), { cwd: 'sub' }, run, 'demo')).toMatchObject({
      code: 'store-failed',
      message:
        'Could not write items.jsonl: no space left. 1 trial is stored. Make room, then: jurist -C sub run demo --resume r1',
    })
    expect(explained(failed('Move it away.'), {}, { ...run, stored: 2 }, 'demo')).toMatchObject({
      message: expect.stringMatching(
        /left\. Move it away\. 2 trials are stored\. Resume with: jurist run demo --resume r1$/,
      ),
    })
  })

  test('stays what it is before a run has begun', () => {
    const error = failed('Make room, then go on.')
    expect(explained(error, {}, undefined, 'demo')).toBe(error)
  })
})

test('a baseline that was measured otherwise is a warning with --fail-on never', async () => {
  using made = project({ 'jurist.config.ts': configOf({}) })
  await made.jurist('run')
  made.write({ 'jurist.config.ts': configOf({ rest: 'itemTimeoutMs: 9000,' }) })
  const { code, stderr } = await made.jurist('run', '--baseline', 'latest', '--fail-on', 'never')
  expect(code).toBe(0)
  expect(stderr).toContain('warning: The two runs were not measured alike')
  expect(stderr).not.toContain('Missed')
})
