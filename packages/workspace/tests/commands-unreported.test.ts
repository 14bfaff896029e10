import { runJudge } from '@jurist/core'
import { testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const quiet = { executable: '#!/bin/sh\nexit 0\n' }

describe('a tool that always reports, and reports nothing', () => {
  test.each([
    ['mvnw', testsPass.maven()],
    ['gradlew', testsPass.gradle()],
  ])('%s that ends well without a report has run no test', async (wrapper, judge) => {
    await using workspace = await temporaryWorkspace({ [wrapper]: quiet })
    expect(await runJudge(judge, { workspace })).toMatchObject({
      status: 'fail',
      checks: [
        { name: 'command_execution', passed: true },
        { name: 'tests_executed', passed: false },
      ],
    })
  })
  test('passes when no test was asked for, and any other command by its exit code', async () => {
    await using workspace = await temporaryWorkspace({ mvnw: quiet })
    expect((await runJudge(testsPass.maven({ minTests: 0 }), { workspace })).status).toBe('pass')
    expect((await runJudge(testsPass.command(['true']), { workspace })).status).toBe('pass')
  })
})
