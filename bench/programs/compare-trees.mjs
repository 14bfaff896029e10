// Compares two directories in a separate process, and prints how long the comparison itself took.
// node compare-trees.mjs WORKSPACE REFERENCE
import { runJudge } from '@jurist/core'
import { localWorkspace } from '@jurist/workspace'
import { matchesReference } from '@jurist/workspace/files'

const [workspace, reference] = process.argv.slice(2).map((directory) => localWorkspace(directory))
const before = process.cpuUsage()
const startedAt = performance.now()
const { status, checks } = await runJudge(matchesReference(), { workspace, reference })
const { user, system } = process.cpuUsage(before)
console.log(
  JSON.stringify({
    status,
    failed: checks.filter(({ passed }) => !passed).length,
    elapsedMs: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
)
