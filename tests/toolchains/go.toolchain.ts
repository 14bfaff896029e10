import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

describeUnless(missing('go'), 'Go', () => {
  test('the tests that must pass decide, and others that fail are named', async () => {
    await using workspace = await temporaryWorkspace({
      'go.mod': 'module m\n\ngo 1.20\n',
      'a_test.go':
        'package a\nimport "testing"\nfunc TestGood(t *testing.T) {}\nfunc TestBad(t *testing.T) { t.Fatal("no") }\n',
    })
    const judge = testsPass.go({ mustPass: ['m.TestGood'], env: { GOFLAGS: '-mod=mod' } })
    expect(await runJudge(judge, aContext({ workspace }))).toMatchObject({
      status: 'pass',
      metadata: { report: 'go', otherFailures: ['m.TestBad'] },
    })
  })
})
