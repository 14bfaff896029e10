import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../../project.js'

const rows = [
  { id: 'product', task: 'What is 6 times 7? Answer with the number alone.', expected: '42' },
  { id: 'sum', task: 'What is 3 and 4? Answer with the number alone.', expected: '7' },
]
const config = (judge: string, more = '') => `experiments:
  questions:
    dataset: rows.jsonl
    agent: { command: ["true"] }
    jury: { type: ${judge} }
${more}`
const files = (jury: string, more?: string) => ({
  'rows.jsonl': `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
  'jurist.config.yaml': config(jury, more),
})

test('prints the card of a sound benchmark, and writes it as a page, as Markdown and as JSON', async () => {
  using at = project(files('matches-expected'))
  const { code, stdout, stderr } = await at.jurist('vet', '-o', 'card.html', '-o', 'card.md', '-o', 'card.json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stderr).toMatch(/^2 items: about 20 trials\nestablish questions run \S+: 12 trials\n/)
  expect(stderr).toMatch(/^establish \[12\/12\], about \S+( \S+)? left$/m)
  expect(stderr.split('\n').filter((line) => / \[/.test(line) && line.length > 60)).toEqual([])
  expect(stdout).toMatch(/solvable +2 of 2/)
  expect(stdout).toContain('Sound in everything that was tried')
  const written = (file: string) => readFileSync(join(at.directory, file), 'utf8')
  expect(JSON.parse(written('card.json'))).toMatchObject({ kind: 'card', conclusion: 'sound' })
  expect(written('card.md')).toContain('Benchmark card of questions')
  expect(written('card.html')).not.toContain('<script')
})

test('exits with 1 where a probe gets through, and with 0 once that is accepted', async () => {
  using at = project({ ...files('output-text, contains: "7"'), 'rows.jsonl': `${JSON.stringify(rows[1])}\n` })
  const found = await at.jurist('vet', '--quick', '--json')
  expect(found.code).toBe(1)
  expect(JSON.parse(found.stdout)).toMatchObject({
    conclusion: 'problems',
    establish: { repeat: 1 },
    probes: { gameable: { count: 1, of: 1 }, holes: [{ probe: 'dump-everything', items: ['sum'] }] },
  })
  expect(found.stderr).toContain('the benchmark has a problem')
  expect((await at.jurist('vet', '--quick', '--allow', 'dump-everything')).code).toBe(0)
  at.write({
    'jurist.config.yaml': config(
      'output-text, contains: "7"',
      '    vet: { accepted: [{ probe: dump-everything, reason: the answers are short }] }\n',
    ),
  })
  const accepted = await at.jurist('vet', '--quick')
  expect(accepted.code).toBe(0)
  expect(accepted.stdout).toContain('Accepted: the answers are short')
  expect((await at.jurist('list', '--json')).stdout).not.toContain('"kind":"agent"')
})

test('says how to resume when it is interrupted, and whether there was anything to resume', async () => {
  using at = project(files('command-succeeds, command: sleep 60'))
  const started = at.start('vet', 'questions', '--quick', '--item', 'sum', '--resume')
  await started.said('establish questions run ')
  // As under npx, which passes on what the terminal has sent already.
  started.child.kill('SIGINT')
  started.child.kill('SIGTERM')
  const { code, stderr } = await started.ended
  expect([code, stderr]).toEqual([130, expect.stringContaining('questions: nothing to resume; all 2 trials run.\n')])
  expect(stderr).toContain('Resume with: jurist vet questions --item sum --quick --resume\n')
  const shown = await at.jurist('show', 'latest')
  expect(shown.stderr).toMatch(
    /^"latest" is .*, and \S+ has none\. Name another run, such as \S+ \(questions, kind establish/,
  )
})

test('refuses wrong expectations of the config before anything runs, and names accepted probes that do not exist', async () => {
  const accepted = (list: string) => ({
    'jurist.config.yaml': config('matches-expected', `    vet: { accepted: [${list}] }\n`),
  })
  using at = project({ ...files('matches-expected'), ...accepted('claim') })
  const wrong = await at.jurist('vet', '--quick')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('vet.accepted[0]: must be an object')])
  expect(wrong.stderr).not.toContain(' run 2')
  at.write(accepted('{ probe: claims, reason: none }'))
  const { stderr } = await at.jurist('vet', 'probe', '--probe', 'claim', '--first', '1')
  expect(stderr).toContain('notice: vet.accepted names "claims", and there is no such probe. Did you mean "claim"?\n')
})

test.each([
  [['--quick', '--full'], '--quick cannot be used together with --full'],
  [['--allow', 'dump-all'], '--allow: there is no "dump-all". All names: jurist vet probe --list'],
  [['other'], 'questions'],
])('refuses %j', async (words, message) => {
  using at = project(files('matches-expected'))
  const { code, stderr } = await at.jurist('vet', ...words)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
