import { JuristError } from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { explained } from '../../../src/commands/run/resume.js'
import { configOf, project } from '../../project.js'

describe('a store that broke in the middle', () => {
  const run = { runId: 'r1', experimentName: 'demo', session: null, trials: 4, stored: 1, ended: false }
  const problem = 'Could not write items.jsonl: no space left.'
  const full = new JuristError('store-failed', `${problem} Free some space, then resume.`, {
    path: 'items.jsonl',
    diskFull: problem,
  })
  const blocked = new JuristError('store-failed', `${problem} Move it away.`, { path: 'items.jsonl' })

  const command = (...words: readonly string[]) => ['jurist', '-C', 'sub', ...words].join(' ')

  test('says once what to do', () => {
    expect(explained(full, command, run, 'demo')).toMatchObject({
      code: 'store-failed',
      message:
        'Could not write items.jsonl: no space left. 1 trial is stored. Free some space, then:  jurist -C sub run demo --resume r1',
    })
    expect(explained(blocked, command, { ...run, stored: 2 }, 'demo')).toMatchObject({
      message: expect.stringMatching(
        /left\. Move it away\. 2 trials are stored\. Resume with: jurist -C sub run demo --resume r1$/,
      ),
    })
  })

  test('stays what it is before a run has begun', () => {
    expect(explained(full, command, undefined, 'demo')).toBe(full)
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
