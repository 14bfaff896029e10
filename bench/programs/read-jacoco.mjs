// Reads a coverage report through the door, in a separate process: node read-jacoco.mjs DIRECTORY
import { judgmentContext, runJudge } from '@jurist/core'
import { localWorkspace } from '@jurist/workspace'
import { coverageAtLeast } from '@jurist/workspace/coverage'

const [directory] = process.argv.slice(2)
const startedAt = performance.now()
const judgment = await runJudge(coverageAtLeast(50), judgmentContext({ workspace: localWorkspace(directory) }))
const elapsedMs = performance.now() - startedAt
const rssMb = process.resourceUsage().maxRSS / 1024
console.log(JSON.stringify({ status: judgment.status, percent: judgment.score?.value, elapsedMs, rssMb }))
