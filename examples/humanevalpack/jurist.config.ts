import { readFile } from 'node:fs/promises'
import { type Agent, cascade, commandSucceeds, defineConfig, jury, testsPass } from 'jurist'

// Some of the bugs never end.
const timeoutMs = 10_000

/** Does nothing: what the jury says of work that was not done. */
const idle: Agent = () => ({ status: 'completed', costUsd: 0 })

/** Copies the right answer: what the jury says of perfect work. */
const reference: Agent = async ({ workspace, metadata }) => {
  const file = new URL(`items/${metadata?.itemId}/reference/solution.js`, import.meta.url)
  await workspace.write('solution.js', await readFile(file, 'utf8'))
  return { status: 'completed', costUsd: 0 }
}

const loads = jury({ judges: { syntax: commandSucceeds(['node', '--check', 'solution.js'], { timeoutMs }) } })
const visible = jury({ judges: { tests: testsPass.command(['node', 'visible.test.js'], { timeoutMs }) } })
// The hidden test is laid over a copy of the workspace: the agent never sees it, and nothing of its own can replace it.
const hidden = jury({
  judges: {
    tests: testsPass.command(['node', 'hidden.test.js'], { timeoutMs, overlay: { paths: ['hidden.test.js'] } }),
  },
})

const repaired = cascade([
  { name: 'loads', jury: loads, policy: 'reject-on-any-fail' },
  { name: 'visible', jury: visible, policy: 'reject-on-any-fail' },
  { name: 'hidden', jury: hidden, policy: 'final' },
])

export default defineConfig({
  experiments: {
    humanevalpack: {
      dataset: '.',
      // Put your own agent here, as one more variant.
      agent: idle,
      variants: { idle: {}, reference: { agent: reference } },
      jury: repaired,
      preserveWorkspaces: 'failed',
    },
  },
  juries: { repaired },
})
