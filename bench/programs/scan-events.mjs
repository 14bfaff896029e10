// node scan-events.mjs COUNT SHARE COMMANDS: prints the processor time of one scan in milliseconds, and the memory of the process in megabytes.
// One event in SHARE is a shell call of so many commands, one or four, followed by its result; the others are messages and turns.
import { scanTrial } from '../../packages/experiment/dist/scan/index.js'

const [count, share, commands] = process.argv.slice(2).map(Number)
const lists = [
  'cd /app && npm test 2>&1 | tail -20; grep -rn "roundHalf" src',
  'cat package.json | jq .scripts; sed -n 1,120p src/totals.ts; git diff --stat',
  'python3 -m pytest tests/test_totals.py -q || true; mkdir -p build && cp src/a.ts build/a.ts',
  'find . -name "*.ts" | xargs grep -l total; node -e "console.log(1)" > out.txt; git log --oneline -5',
]
const content = '✓ orders > total 3ms\n'.repeat(30)

function event(index) {
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1_700).toISOString()
  const [of, id] = [index % share, `${Math.floor(index / share)}`]
  const list = lists[Number(id) % lists.length]
  const command = `${commands === 1 ? list.split(/ (?:&&|\|\||\|) |; /)[0] : list} # ${index}`
  if (of === 0) return { type: 'tool-call', at, id, name: 'Bash', input: { command } }
  if (of === 1) return { type: 'tool-result', at, id, failed: index % 400 === 1, content }
  if (of === 2) return { type: 'model-call', at, model: 'large', usage: { inputTokens: 900, outputTokens: 80 } }
  return { type: 'text', at, text: `I look at step ${index}.` }
}

const trial = {
  itemId: 'one',
  repetition: 1,
  task: 'Fix the rounding of totals.',
  output: 'I fixed the rounding. All 42 tests pass.',
  passed: true,
  durationMs: count * 1_700,
  records: Array.from({ length: count }, (_, index) => event(index)),
  isOwnReport: false,
  changes: [{ path: 'src/totals.ts', before: 'a\nb\n', after: 'a\nc\n' }],
  reference: null,
  upstream: ['acme/cart'],
  project: [{ name: 'cart', version: '1.0.0' }],
  scripts: { test: 'vitest run' },
  secret: ['/srv/reference'],
}
const before = process.cpuUsage()
scanTrial(trial)
const { user, system } = process.cpuUsage(before)
console.log(`${(user + system) / 1_000} ${process.resourceUsage().maxRSS / 1_024}`)
