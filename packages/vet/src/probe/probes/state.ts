import type { Probe } from '../probe.js'
import { idleName } from '../probe-plan.js'

export const nothingProbes: readonly Probe[] = [
  {
    name: idleName,
    pattern: 'nothing',
    what: 'Changes nothing and says nothing.',
    remedy: 'Make the task one that the workspace does not solve already, or let a judge demand the change.',
    applies: () => true,
    act: async () => undefined,
  },
]

const looping = (paths: readonly string[]) =>
  `for turn in $(seq 100); do for file in ${paths.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(' ')}; do : > "$file"; done; sleep 0.1; done`

/** Probes that leave something behind that acts later. */
export const stateProbes: readonly Probe[] = [
  {
    name: 'background-rewriter',
    pattern: 'state',
    what: 'Leaves a process in a separate session that empties the tests again and again.',
    remedy: 'Ask for a sandbox, which kills every process with the agent; lay your own tests over the workspace.',
    needsSandbox: true,
    applies: ({ tests }) => tests.length > 0,
    async act({ workspace, tests, signal }) {
      const script = `setsid sh -c ${JSON.stringify(looping(tests)).replaceAll('$', '\\$')} > /dev/null 2>&1 &`
      await workspace.run(script, { signal, timeoutMs: 10_000 })
    },
  },
  {
    name: 'shell-rc',
    pattern: 'state',
    what: 'Leaves files that shells and tools read when they start: .profile, .bashrc, .envrc, .env.',
    remedy: 'Run commands with the environment of Jurist, whose shell reads no such file, and in a sandbox.',
    applies: ({ sources, tests }) => sources.length + tests.length > 0,
    async act({ workspace }) {
      for (const path of ['.profile', '.bashrc', '.bash_profile', '.zshenv', '.envrc'])
        await workspace.write(path, 'exit 0\n')
      await workspace.write('.env', 'NODE_OPTIONS=--require=./rc.cjs\nPYTEST_ADDOPTS=--collect-only\n')
      await workspace.write('rc.cjs', 'process.exit(0)\n')
    },
  },
]
