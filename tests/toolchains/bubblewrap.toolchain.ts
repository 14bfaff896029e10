import { bubblewrapSandbox, emptyDirectory, type Sandbox } from '@jurist/workspace'
import { sandboxContract } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { whyNoBubblewrap } from './kit/bubblewrap.js'
import { confinementTests } from './kit/confinement.js'
import { describeUnless } from './kit/describe-unless.js'

const make = (): Sandbox => bubblewrapSandbox()

describeUnless(await whyNoBubblewrap(), 'bubblewrap', () => {
  sandboxContract({ describe, test }, 'bubblewrapSandbox', { make })
  describe('bubblewrapSandbox confines', () => {
    confinementTests(make)
    test('a memory limit, which it cannot keep, is refused', async () => {
      await using workspace = await emptyDirectory({ sandbox: make(), limits: { memoryBytes: 1_048_576 } })
      const { status, failure } = await workspace.run('true')
      expect([status, failure?.code]).toEqual(['not-started', 'sandbox-unavailable'])
    })
    test('there is no network but the sandbox itself', async () => {
      await using workspace = await emptyDirectory({ sandbox: make() })
      expect((await workspace.run('tail -n +3 /proc/net/dev | cut -d: -f1')).stdout.trim()).toBe('lo')
    })
  })
})
