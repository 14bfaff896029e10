import { type CommandLimits, dockerSandbox, emptyDirectory } from '@jurist/workspace'
import { sandboxContract } from '@jurist/workspace/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { confinementTests } from './kit/confinement.js'
import { containerImage } from './kit/container-image.js'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

const absent = missing('podman', 'runc', 'catatonit', 'busybox')
const image = absent ?? (await containerImage())
const reason = typeof image === 'string' ? image : undefined
const name = typeof image === 'string' ? '' : image.name
const make = () => dockerSandbox({ image: name, cli: 'podman' })

async function run(command: string, limits: CommandLimits = {}) {
  await using workspace = await emptyDirectory({ sandbox: make(), limits })
  return await workspace.run(['sh', '-c', command], { timeoutMs: 60_000 })
}

describeUnless(reason, 'containers of podman with runc', () => {
  afterAll(() => {
    if (typeof image !== 'string') image.remove()
  })
  sandboxContract({ describe, test }, 'dockerSandbox', { make })
  describe('dockerSandbox confines', () => {
    confinementTests(make)
    test('a container that cannot begin was not started, one that ends with 125 was', async () => {
      await using workspace = await emptyDirectory({
        sandbox: dockerSandbox({ image: name, cli: 'podman', user: 'nobody-here' }),
      })
      const { status, failure } = await workspace.run('true')
      expect([status, failure?.code]).toEqual(['not-started', 'not-started'])
      expect(failure?.message).toContain('nobody-here')
      expect(await run('exit 125')).toMatchObject({ status: 'exited', exitCode: 125 })
    })
    test('memory has a limit', async () => {
      const take = 'head -c 67108864 /dev/zero | tail -c 67108864 | wc -c'
      expect((await run(take, { memoryBytes: 256 * 1_048_576 })).stdout.trim()).toBe('67108864')
      expect((await run(take, { memoryBytes: 16 * 1_048_576 })).stdout.trim()).not.toBe('67108864')
    })
    test('the number of processes has a limit', async () => {
      const start = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i + 1)); done; ls /proc | grep -c "^[0-9]"'
      const few = await run(start, { processes: 10 })
      expect(few.stderr).toMatch(/fork/)
      expect(Number(few.stdout.trim() || 0)).toBeLessThanOrEqual(10)
      expect(Number((await run(start, { processes: 100 })).stdout)).toBeGreaterThan(40)
    })
    test('there is no network but the container itself', async () => {
      const { stdout } = await run('ls /sys/class/net; cat /proc/net/route | wc -l')
      expect(stdout).toBe('lo\n1\n')
    })
    test('the image cannot be written, the workspace and the temporary directory can', async () => {
      const { stdout } = await run('for d in /etc /bin . /tmp; do (echo x > $d/new) 2> /dev/null && echo $d; done')
      expect(stdout).toBe('.\n/tmp\n')
    })
  })
})
