import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandResult, RunOptions } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { emptyDirectory } from '../copy.js'
import type { Sandbox } from '../sandbox/sandbox.js'

/** The sandbox that the contract is tested on. */
export interface SandboxContractSetup {
  readonly make: () => Sandbox | Promise<Sandbox>
}
type Run = (command: string | readonly string[], options?: RunOptions) => Promise<CommandResult>

/**
 * Tests what every sandbox must guarantee: commands end with their own exit codes, get their arguments, variables and
 * directory unchanged, may print any amount of output, and are gone when their time is over. With isolation, they
 * cannot reach files, network or directories of the host.
 *
 * @example
 * import { bubblewrapSandbox } from '@jurist/workspace'
 * import { sandboxContract } from '@jurist/workspace/testing'
 * import { describe, test } from 'vitest'
 *
 * sandboxContract({ describe, test }, 'my sandbox', { make: () => bubblewrapSandbox() })
 */
export function sandboxContract(harness: TestHarness, name: string, setup: SandboxContractSetup): void {
  harness.describe(`${name} keeps the sandbox contract`, () => {
    commandTests(harness, setup)
    endTests(harness, setup)
    isolationTests(harness, setup)
  })
}

async function inWorkspace(
  setup: SandboxContractSetup,
  body: (run: Run, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await setup.make()
  const workspace = await emptyDirectory({ sandbox, environment: { set: { GIVEN: 'by policy' } } })
  try {
    await body(workspace.run, sandbox)
  } finally {
    await workspace[Symbol.asyncDispose]()
  }
}

function expectSame(found: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: expected ${b}, found ${a}`)
}

function commandTests({ test }: TestHarness, setup: SandboxContractSetup): void {
  test('the probe succeeds', async () => (await setup.make()).probe())
  test('exit codes are those of the command', () =>
    inWorkspace(setup, async (run) => {
      for (const code of [0, 3, 126, 127]) {
        const { status, exitCode } = await run(['sh', '-c', `exit ${code}`])
        expectSame([status, exitCode], ['exited', code], 'result')
      }
    }))
  test('words arrive unchanged', () =>
    inWorkspace(setup, async (run) => {
      const words = ['a b', '"q"', "'s'", '$(id)', '`id`', 'x\ny', '', '*', '-n']
      const { stdout } = await run(['sh', '-c', 'printf "<%s>" "$@"', 'sh', ...words])
      expectSame(stdout, words.map((word) => `<${word}>`).join(''), 'words')
    }))
  test('variables arrive, and no others', () =>
    inWorkspace(setup, async (run) => {
      const secret = `JURIST_SECRET_${randomBytes(4).toString('hex')}`
      process.env[secret] = 'of the host'
      try {
        const { stdout } = await run('printf "%s|%s|%s" "$GIVEN" "$ADDED" "$CI"; env', { env: { ADDED: 'x "$y"' } })
        expectSame(stdout.startsWith('by policy|x "$y"|true'), true, 'variables')
        expectSame(stdout.includes(secret), false, 'a variable of the host')
      } finally {
        delete process.env[secret]
      }
    }))
  test('it runs where it should', () =>
    inWorkspace(setup, async (run) => {
      await run('mkdir -p a/b; echo here > a/b/file')
      expectSame((await run('cat file', { cwd: 'a/b' })).stdout, 'here\n', 'stdout')
    }))
  test('input is given, or empty', () =>
    inWorkspace(setup, async (run) => {
      expectSame((await run('cat', { stdin: { text: 'input' } })).stdout, 'input', 'stdout')
      expectSame((await run('cat')).stdout, '', 'stdout')
    }))
  test('three MiB of output do not stop it', () =>
    inWorkspace(setup, async (run) => {
      const { status, stdout, truncated } = await run('head -c 3145728 /dev/zero | tr "\\0" x; printf end')
      expectSame([status, truncated, stdout.endsWith('end')], ['exited', true, true], 'result')
    }))
}

function endTests({ test }: TestHarness, setup: SandboxContractSetup): void {
  test('time ends it, with a grandchild that left and holds the output', () =>
    inWorkspace(setup, async (run) => {
      // The sign of life is visible at any path of the workspace. A process that keeps the output open does not block
      // the caller.
      const alive = "setsid sh -c 'while :; do echo x >> alive; sleep 0.1; done' & sleep 300"
      expectSame((await run(alive, { timeoutMs: 2_000, killAfterMs: 200 })).status, 'timed-out', 'status')
      const { stdout } = await run('wc -c < alive; sleep 1; wc -c < alive')
      const [before, after] = stdout.trim().split(/\s+/).map(Number)
      expectSame([Number(before) > 0, after], [true, before], 'signs of life of the grandchild')
    }))
  test('an abort ends it, before and during', () =>
    inWorkspace(setup, async (run) => {
      expectSame((await run('true', { signal: AbortSignal.abort() })).status, 'aborted', 'before')
      const { status } = await run('sleep 300', { signal: AbortSignal.timeout(500), killAfterMs: 200 })
      expectSame(status, 'aborted', 'during')
    }))
  test('stopping twice is no error', () =>
    inWorkspace(setup, async (_run, sandbox) => {
      const workspace = await emptyDirectory()
      const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
      const launch = await sandbox.launch({ file: 'true', args: [], root: workspace.root, cwd: '.', env, limits: {} })
      await launch.stop()
      await launch.stop()
      await workspace[Symbol.asyncDispose]()
    }))
}

function isolationTests({ test }: TestHarness, setup: SandboxContractSetup): void {
  const isolated = (body: (run: Run) => Promise<void>) => () =>
    inWorkspace(setup, async (run, { isolation }) => {
      if (isolation !== 'none') await body(run)
    })
  test(
    'with isolation, files of the host cannot be read',
    isolated(async (run) => {
      const directory = await mkdtemp(join(homedir(), '.jurist-contract-'))
      try {
        await writeFile(join(directory, 'secret'), 'of the host')
        const { exitCode, stdout } = await run(['cat', join(directory, 'secret')])
        expectSame([exitCode === 0, stdout], [false, ''], 'result')
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    }),
  )
  test(
    'with isolation, the network is refused',
    isolated(async (run) => {
      const server = createServer()
      let visits = 0
      server.on('connection', (socket) => {
        visits += 1
        socket.destroy()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const address = server.address()
        const port = typeof address === 'object' ? address?.port : undefined
        const visit = `exec 3<>/dev/tcp/127.0.0.1/${port} || nc -w 1 127.0.0.1 ${port} || wget -T 1 -O - http://127.0.0.1:${port}`
        expectSame((await run(visit, { timeoutMs: 10_000 })).exitCode === 0, false, 'a connection')
        expectSame(visits, 0, 'connections')
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    }),
  )
  test(
    'with isolation, nothing outside can be written',
    isolated(async (run) => {
      const mark = `/usr/jurist-${randomBytes(6).toString('hex')}`
      expectSame((await run(['sh', '-c', `echo x > ${mark}`])).exitCode === 0, false, 'a file outside')
    }),
  )
}
