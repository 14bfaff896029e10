import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../../jurist/tests/project.js'
import { testOnce } from '../../../jurist/tests/project-results.js'
import { type ZipEntry, zipArchive } from '../zip-archive.js'

const created = '2026-05-04T10:00:00+00:00'
const metric = (name: string, value: number | string) => ({ [name]: { name, value } })

/** The head of a log with one scorer. */
const head = (over: object = {}, results: object | null = {}) => ({
  version: 2,
  status: 'success',
  eval: { task: 'team/sums', model: 'openai/one', created, dataset: { samples: 2 }, config: { epochs: 2 }, ...over },
  ...(results === null
    ? {}
    : {
        results: {
          scores: [
            { name: 'match', scorer: 'match', metrics: { ...metric('accuracy', 0.75), ...metric('stderr', 0.25) } },
          ],
          ...results,
        },
      }),
})

const sample = (id: string | number, epoch: number, value: unknown, more: object = {}) => ({
  ...{ id, epoch, input: `What is ${id}?`, target: 'four', metadata: { level: 1 } },
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: `What is ${id}?` },
    {
      role: 'assistant',
      content: [{ type: 'reasoning', reasoning: 'I add.' }],
      tool_calls: [{ id: `call-${epoch}`, function: 'add', arguments: { a: 2, b: 2 }, type: 'function' }],
    },
    { role: 'tool', content: '4', tool_call_id: `call-${epoch}`, function: 'add' },
    { role: 'assistant', content: 'attachment://0123456789abcdef0123456789abcdef' },
  ],
  attachments: { '0123456789abcdef0123456789abcdef': `It is four, ${id}.` },
  output: { model: 'one', choices: [{ message: { role: 'assistant', content: `It is four, ${id}.` } }] },
  scores: { match: { value, answer: 'four', explanation: 'as expected' } },
  model_usage: { 'openai/one': { input_tokens: 10, output_tokens: 5, input_tokens_cache_read: 20 } },
  total_time: 12.5,
  working_time: 11,
  ...more,
})

const four = [sample('a', 1, 'C'), sample('a', 2, 'C'), sample('b', 1, 'I'), sample('b', 2, 'C')]

const zipped = (header: object, samples: readonly { readonly id: unknown; readonly epoch: number }[]) => [
  { name: 'header.json', text: JSON.stringify(header) },
  ...samples.map((one) => ({ name: `samples/${one.id}_epoch_${one.epoch}.json`, text: JSON.stringify(one) })),
]

const write = (at: Project, name: string, entries: readonly ZipEntry[]) =>
  writeFileSync(join(at.directory, name), zipArchive(entries))

const json = async (at: Project, ...argv: readonly string[]) => JSON.parse((await at.jurist(...argv, '--json')).stdout)

/** The stored trials of a run, in order. */
const trialsOf = async (at: Project, experiment: string, id: string) =>
  (await at.results.trials(experiment, id))
    .map((line) => JSON.parse(line))
    .sort((one, other) => one.itemId.localeCompare(other.itemId) || one.repetition - other.repetition)

const imported = async (at: Project, file: string, ...argv: readonly string[]) =>
  (await json(at, 'import', 'inspect', file, ...argv)).runs

describe('jurist import inspect', () => {
  test('makes judged trials of samples and epochs, with the figures of the log', async () => {
    using at = project()
    write(at, 'log.eval', zipped(head(), four))
    const { code, stdout } = await at.jurist('import', 'inspect', 'log.eval')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^log\.eval: 4 trials of 2 items, as \S+ \(sums, openai\/one\)\n {2}match \(decides\): accuracy 0\.750, stderr 0\.250\n\n/,
    )
    const [id = ''] = await at.results.runs('sums')
    const trials = await trialsOf(at, 'sums', id)
    expect(trials.map((one) => [one.itemId, one.repetition, one.passed, one.agentMs])).toEqual([
      ['a', 1, true, 12_500],
      ['a', 2, true, 12_500],
      ['b', 1, false, 12_500],
      ['b', 2, true, 12_500],
    ])
    expect(trials[0]).toMatchObject({
      task: 'What is a?',
      expectedOutput: { type: 'text', text: 'four' },
      usage: { inputTokens: 30, outputTokens: 5, cacheReadTokens: 20 },
      scores: { match: 1 },
      detail: { invocation: { output: { text: 'It is four, a.' }, elapsedMs: 12_500 } },
    })
    const figures = (await at.jurist('show', 'latest')).stdout
    expect(figures).toMatch(/Passed +3 of 4/)
    expect(figures).toMatch(/pass\^k +k=1 0\.75 +k=2 0\.50/)
  })

  testOnce('shows no time of samples that say none', async () => {
    using at = project()
    const untimed = four.map(({ total_time: _, working_time: __, ...rest }) => rest)
    write(at, 'log.eval', zipped(head(), untimed))
    await at.jurist('import', 'inspect', 'log.eval')
    const [id = ''] = await at.results.runs('sums')
    expect((await trialsOf(at, 'sums', id)).map(({ agentMs, durationMs }) => [agentMs, durationMs])).toEqual(
      four.map(() => [0, 0]),
    )
    const { stdout } = await at.jurist('show', 'latest')
    expect(stdout).toMatch(/ITEM .*TIME\n(.*\n)* +a .* –\n/)
    expect((await at.jurist('show', 'latest', 'a')).stdout).toMatch(/Time +– +\(setup \S+ ms, agent –, jury/)
  })

  test('twice is once, and a log in JSON is the same log', async () => {
    using at = project()
    write(at, 'log.eval', zipped(head(), four))
    at.write({ 'log.json': JSON.stringify({ ...head(), samples: four }) })
    const [first] = await imported(at, 'log.eval')
    const [second] = await imported(at, 'log.json')
    expect([first.isNew, second.isNew, second.runId]).toEqual([true, false, first.runId])
    const { stdout } = await at.jurist('import', 'inspect', 'log.eval')
    expect(stdout).toContain(`4 trials, imported before, as ${first.runId}`)
    expect(await at.results.runs('sums')).toHaveLength(1)
  })

  test('its tool calls, answers and texts can be judged again', async () => {
    using at = project({
      'jurist.config.yaml': `
juries:
  called: { type: all-of, judges: [{ type: tool-calls, expected: [{ name: add, input: { equals: { a: 2, b: 2 } } }] }, { type: output-text, contains: 'It is four' }] }
experiments:
  none: { dataset: rows.jsonl, agent: { command: [echo] } }
`,
      'rows.jsonl': '{"id":"r","task":"t"}\n',
    })
    write(at, 'log.eval', zipped(head(), four))
    const [{ runId }] = await imported(at, 'log.eval')
    const { stdout, code, stderr } = await at.jurist('rejudge', runId, '--jury', 'called', '--json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).result).toMatchObject({ passCount: 4 })
    const journal = (await at.jurist('show', runId, '--item', 'a', '--journal')).stdout
    for (const text of ['I add.', 'add', 'It is four, a.']) expect(journal).toContain(text)
  })

  testOnce('NaN abstains, an error is not a fail, a time limit is a timeout, and grades are numbers', async () => {
    using at = project()
    const text = JSON.stringify({
      ...head(
        { config: {} },
        { scores: [{ name: 'match', metrics: { ...metric('accuracy', 0.5), ...metric('bootstrap_stderr', 1) } }] },
      ),
      samples: [
        sample('none', 1, 'NOT-A-NUMBER'),
        sample('part', 1, 'P'),
        sample('yes', 1, true),
        sample('odd', 1, 'N', { metadata: { text: 'NaN "Infinity" \\ \0 "' } }),
        sample('slow', 1, 'I', { limit: { type: 'time', limit: 5, reason: 'too slow' } }),
        sample('long', 1, 1, { limit: { type: 'token', limit: 5 } }),
        { ...sample('broken', 1, 'C'), scores: {}, error: { message: 'no sandbox' } },
      ],
    })
    at.write({ 'log.json': text.replace('"NOT-A-NUMBER"', 'NaN') })
    const [run] = await imported(at, 'log.json')
    const trials = await trialsOf(at, 'sums', run.runId)
    const byId = Object.fromEntries(trials.map((one) => [one.itemId, [one.agent, one.judged, one.passed]]))
    expect(byId).toEqual({
      none: ['completed', 'abstain', null],
      part: ['completed', 'fail', false],
      yes: ['completed', 'pass', true],
      odd: ['completed', 'fail', false],
      slow: ['timeout', 'fail', false],
      long: ['completed', 'pass', true],
      broken: ['error', 'abstain', null],
    })
    expect(trials.find(({ itemId }) => itemId === 'part').scores).toEqual({ match: 0.5 })
    expect(run.metrics).toEqual([
      { score: 'match', metric: 'accuracy', logged: 0.5, computed: 0.5 },
      { score: 'match', metric: 'bootstrap_stderr', logged: 1 },
    ])
    expect(run.notes).toEqual([
      'match: the value null has no number, so its judge abstains (1 trial)',
      'limit: ended at a time limit (1 trial)',
      'limit: ended at a token limit (1 trial)',
      'error: not judged, as in the figures of Inspect (1 trial)',
    ])
  })

  testOnce('an infinite score is the worst or the best one, and infinite figures are what the log says', async () => {
    using at = project()
    const text = JSON.stringify({
      ...head({ config: {} }, { scores: [{ name: 'match', metrics: { ...metric('mean', 'MINUS') } }] }),
      samples: [
        sample('worst', 1, 'MINUS'),
        sample('best', 1, 'PLUS'),
        sample('usual', 1, 0.5, { total_time: 'PLUS', metadata: { text: 'Infinity' } }),
      ],
    })
    at.write({ 'log.json': text.replaceAll('"MINUS"', '-Infinity').replaceAll('"PLUS"', 'Infinity') })
    const [run] = await imported(at, 'log.json')
    const trials = await trialsOf(at, 'sums', run.runId)
    expect(Object.fromEntries(trials.map((one) => [one.itemId, [one.judged, one.passed, one.scores.match]]))).toEqual({
      worst: ['fail', false, 0],
      best: ['pass', true, 1],
      usual: ['fail', false, 0.5],
    })
    expect((await at.jurist('show', run.runId, '--item', 'worst')).stdout).toContain('-Infinity')
  })

  testOnce('several scores: the headline decides, the others measure', async () => {
    using at = project()
    const scores = { match: { value: 'I' }, many: { value: { close: 7.5, style: 0.5 } } }
    const samples = [sample('a', 1, 'C', { scores }), sample('b', 1, 'C', { scores })]
    const results = {
      headline: { scorer: 'many', score: 'close' },
      scores: [
        { name: 'match', scorer: 'match', metrics: metric('accuracy', 0.25) },
        { name: 'close', scorer: 'many', metrics: metric('mean', 7.5) },
      ],
    }
    at.write({ 'log.json': JSON.stringify({ ...head({}, results), samples }) })
    const shown = await at.jurist('import', 'inspect', 'log.json', '--threshold', '7')
    expect(shown.stdout).toContain('  many.close (decides): mean 7.500\n')
    expect(shown.stdout).toContain('  differs: match: accuracy is 0.250 in the log and 0.000 of its samples\n')
    const [first = ''] = await at.results.runs('sums')
    const [trial] = await trialsOf(at, 'sums', first)
    expect([trial.passed, trial.scores]).toEqual([true, { match: 0, 'many.close': 1, 'many.style': 0.5 }])
    const [other] = await imported(at, 'log.json', '--headline', 'match')
    expect([other.isNew, other.headline]).toEqual([true, 'match'])
    const refused = await at.jurist('import', 'inspect', 'log.json', '--headline', 'mach')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('It has match, many.close, many.style.'),
    ])
  })

  testOnce.each([
    ['mean', 1 / 2],
    ['pass_at_2', undefined],
  ])('epochs reduced by %s', async (reducer, accuracy) => {
    using at = project()
    const epochs = (id: string, ...values: readonly string[]) => values.map((value, at) => sample(id, at + 1, value))
    const scores = [{ name: 'match', scorer: 'match', reducer, metrics: metric('accuracy', 0.25) }]
    const config = { epochs: 3, epochs_reducer: [reducer] }
    const samples = [...epochs('a', 'C', 'I', 'C'), ...epochs('b', 'I', 'N', 'C')]
    write(at, 'log.eval', zipped(head({ config }, { scores }), samples))
    const { stdout } = await at.jurist('import', 'inspect', 'log.eval')
    const of = reducer === 'mean' ? 'match' : `match, ${reducer} of the epochs`
    expect(stdout).toContain(`${of} (decides): accuracy 0.250${accuracy === undefined ? ' (from the log)' : ''}`)
    const differs = `differs: ${of}: accuracy is 0.250 in the log and ${accuracy?.toFixed(3)} of its samples`
    expect(stdout.includes(differs)).toBe(accuracy !== undefined)
  })

  testOnce('a standard error with parameters is that of the log; deviation and variance are compared', async () => {
    using at = project()
    const samples = [1, 1, 0, 0].map((value, index) => sample(index, 1, value))
    const stderr = (value: number, params: object) => ({ stderr: { name: 'stderr', value, params } })
    const notes = async (metrics: object) => {
      const scores = [{ name: 'match', scorer: 'match', metrics }]
      write(at, 'log.eval', zipped(head({ config: {} }, { scores }), samples))
      return (await at.jurist('import', 'inspect', 'log.eval')).stdout
    }
    const same = { ...metric('std', Math.sqrt(1 / 3)), ...metric('var', 1 / 3) }
    expect(await notes(same)).toContain('match (decides): std 0.577, var 0.333\n\n')
    expect(await notes(stderr(0.3, {}))).toContain('stderr is 0.300 in the log and 0.289')
    expect(await notes(stderr(0.3, { cluster: 'team' }))).toContain('stderr 0.300 (from the log)')
  })

  testOnce('scores whose names no judge can have are stored under others, with their figures', async () => {
    using at = project()
    const long = 'how well the answer follows each of the instructions of the task'
    const value: { readonly [name: string]: number } = { [long]: 1, 7: 0.5 }
    const scores = { many: { value }, 'e\u001b[2J': { value: 'C' }, 12: { value: 0.5 } }
    const results = [long, '7'].map((name) => ({ name, scorer: 'many', metrics: metric('mean', value[name] ?? 0) }))
    const more = { name: '12', scorer: '12', metrics: metric('mean', 0.25) }
    write(at, 'log.eval', zipped(head({}, { scores: [...results, more] }), [sample('a', 1, 'C', { scores })]))
    const { code, stdout } = await at.jurist('import', 'inspect', 'log.eval')
    expect(code).toBe(0)
    expect(stdout).toMatch(/ {2}many\.how well the answer follows each of the [a-z ]*-[0-9a-f]{8}.*: mean 1\.000\n/)
    expect(stdout).toContain('many.7: mean 0.500\n')
    expect(stdout).toContain('differs: score 12: mean is 0.250 in the log and 0.500 of its samples')
  })

  testOnce(
    'files of a directory that are no logs or hold no sample are left out, and logs without scores say so',
    async () => {
      using at = project({ 'logs/eval-set.json': '{"tasks":[]}', 'logs/none.json': JSON.stringify(head()) })
      write(at, 'logs/a.eval', zipped(head({}, null), [sample('a', 1, 'C', { scores: {} })]))
      write(at, 'logs/copy.eval', zipped(head({}, null), [sample('a', 1, 'C', { scores: {} })]))
      const { stdout } = await at.jurist('import', 'inspect', 'logs')
      expect(stdout).toContain('left out: logs/eval-set.json is not a log of Inspect.\n')
      expect(stdout).toContain('left out: logs/none.json holds no sample.\n')
      expect(stdout).toContain('it has no scores: judge its run with jurist rejudge RUN --jury NAME')
      // Two copies of a log are one run, which is not compared with itself.
      expect(stdout).toMatch(/Next: {2}jurist show /)
      const alone = await at.jurist('import', 'inspect', 'logs/none.json')
      expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('logs/none.json holds no sample.')])
    },
  )

  test('two models compare, and their scores are measured against labels', async () => {
    using at = project()
    const other = { model: 'openai/two', created: '2026-05-05T10:00:00+00:00' }
    const worse = four.map((one) => ({ ...one, scores: { match: { value: one.id === 'b' ? 'C' : 'I' } } }))
    write(at, 'logs.one.eval', zipped(head(), four))
    write(at, 'logs.two.eval', zipped(head(other, null), worse))
    const [one] = await imported(at, 'logs.one.eval')
    const [two] = await imported(at, 'logs.two.eval')
    const compared = await json(at, 'compare', one.runId, two.runId)
    expect(compared.passRate).toMatchObject({ items: 2, baselineMean: 0.75, candidateMean: 0.5 })
    at.write({ 'labels.csv': 'itemId,annotator,label\na,ana,pass\nb,ana,fail\n' })
    const measured = await json(at, 'calibrate', '--run', one.runId, '--labels', 'labels.csv')
    expect(measured.table.map(({ judge }: { readonly judge: string }) => judge)).toEqual(['jury', 'match'])
  })

  testOnce('keys in a log are not stored', async () => {
    using at = project()
    const key = 'sk-proj-Abcdef0123456789abcdef0123456789'
    write(at, 'log.eval', zipped(head(), [sample('a', 1, 'C', { input: `Use ${key}` })]))
    const [run] = await imported(at, 'log.eval')
    expect(run.notes).toContain('strings that look like keys are replaced by *** in the run (1 string)')
    expect(await at.results.everything()).not.toContain(key)
  })

  testOnce('an unfinished log is imported as far as it is', async () => {
    using at = project()
    const start = { version: 2, eval: head().eval, plan: {} }
    const samples = zipped({}, four.slice(0, 3)).slice(1)
    write(at, 'log.eval', [{ name: '_journal/start.json', text: JSON.stringify(start) }, ...samples])
    const [run] = await imported(at, 'log.eval')
    expect([run.trials, run.notes]).toEqual([3, ['the log is not finished: it has no results']])
  })

  test.skipIf(!('zstdCompressSync' in zlib))('reads Zstandard (skipped before Node 22.15)', async () => {
    using at = project()
    const { zstdCompressSync } = zlib as unknown as { readonly zstdCompressSync: (text: string) => Buffer }
    const entries = zipped(head(), four).map(({ name, text }) => ({
      name,
      text,
      packed: zstdCompressSync(text),
      method: 93,
    }))
    write(at, 'log.eval', entries)
    expect((await imported(at, 'log.eval'))[0].trials).toBe(4)
  })

  const bad = (entries: readonly ZipEntry[]) => zipArchive(entries)
  const good = zipped(head(), four)
  testOnce.each<readonly [string, Buffer | string, string]>([
    ['no archive', 'PK what', 'it is not a zip archive'],
    ['an archive that was cut off', bad(good).subarray(0, 900), 'it is not a zip archive'],
    ['a name twice', bad([...good, ...good.slice(1, 2)]), 'twice'],
    [
      'a name that leads out',
      bad([...good, { name: 'samples/../../x.json', text: '{}' }]),
      'is not a valid name within an archive',
    ],
    ['an absolute name', bad([...good, { name: '/etc/passwd', text: '{}' }]), 'is not a valid name within an archive'],
    ['an encrypted file', bad([...good, { name: 'samples/x.json', text: '{}', flags: 1 }]), 'is encrypted'],
    ['an unknown method', bad([{ ...good[0], name: 'header.json', text: '{}', method: 99 }]), 'packed by method 99'],
    ['a bomb', bad([{ name: 'header.json', text: '0'.repeat(3e6), bytes: 1000 }]), 'header.json is damaged'],
    [
      'a file that says too much',
      bad([{ name: 'header.json', text: '{}', bytes: 2 ** 29 }]),
      'at most 268435456 are read',
    ],
    ['a wrong checksum', bad([{ name: 'header.json', text: '{}', crc: 7 }]), 'header.json is damaged'],
    ['no header', bad([{ name: 'samples/a.json', text: '{}' }]), 'it has no _journal/start.json'],
    ['a header that is not JSON', bad([{ name: 'header.json', text: '{' }]), 'header.json is not JSON'],
    ['another version', bad(zipped({ ...head(), version: 9 }, four)), 'version must be 1, 2 or 3'],
    [
      'a sample without an id',
      bad([...good, { name: 'samples/x.json', text: '{"epoch":0}' }]),
      'samples/x.json: id is missing',
    ],
    ['an invalid epoch', bad([...good, { name: 'samples/x.json', text: '{"epoch":0}' }]), 'epoch must be at least 1'],
    ['no sample', bad(good.slice(0, 1)), 'holds no sample'],
    [
      'a sample twice',
      bad([...good, { name: 'samples/x.json', text: JSON.stringify(four[0]) }]),
      'sample a occurs twice in epoch 1',
    ],
    [
      'what is nested too deep',
      bad([...good, { name: 'samples/x.json', text: '['.repeat(5000) + ']'.repeat(5000) }]),
      'nested deeper',
    ],
  ])('refuses %s, and stores nothing', async (_, bytes, message) => {
    using at = project()
    writeFileSync(join(at.directory, 'log.eval'), bytes)
    const { code, stderr } = await at.jurist('import', 'inspect', 'log.eval')
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(await at.results.runs('sums').catch(() => [])).toEqual([])
  })

  testOnce('refuses a directory with a bad log before it stores the good ones, and names all bad ones', async () => {
    using at = project({ 'logs/b.json': '{"eval":{}}', 'logs/c.json': '[', 'logs/eval-set.json': '{}' })
    write(at, 'logs/a.eval', good)
    const { code, stderr } = await at.jurist('import', 'inspect', 'logs')
    expect(code).toBe(2)
    expect(stderr).toContain('logs/b.json cannot be imported')
    expect(stderr).toContain('logs/c.json cannot be imported')
    expect(await at.results.runs('sums').catch(() => [])).toEqual([])
  })

  testOnce.each([
    [['inspect', 'log.json', '--sample', '3'], 'A log is imported whole'],
    [['inspect', 'log.json', '--out', 'x'], 'leave --out out'],
    [['inspect', 'log.json', '--threshold', 'half'], '--threshold wants a number such as 0.5'],
    [['atif', 'log.json', '--headline', 'x'], '--headline belongs to "jurist import inspect"'],
    [['inspect'], 'Name a log or a directory'],
  ])('refuses %j', async (argv, message) => {
    using at = project({ 'log.json': '{}' })
    const { code, stderr } = await at.jurist('import', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('jurist export --format inspect', () => {
  test('writes a log with the figures and messages of the run, which can be imported again', async () => {
    using at = project()
    const broken = { ...sample('c', 1, 'C'), scores: {}, error: { message: 'no sandbox' } }
    write(at, 'log.eval', zipped(head(), [...four, broken]))
    const [{ runId }] = await imported(at, 'log.eval')
    await at.jurist('export', runId, '--format', 'inspect', '-o', 'out.json')
    const log = JSON.parse(readFileSync(join(at.directory, 'out.json'), 'utf8'))
    expect(log).toMatchObject({
      version: 2,
      status: 'success',
      eval: {
        task: 'sums',
        model: 'openai/one',
        dataset: { samples: 3, sample_ids: ['a', 'b', 'c'] },
        config: { epochs: 2 },
      },
      results: {
        total_samples: 5,
        completed_samples: 4,
        headline: { scorer: 'verdict', metric: 'accuracy' },
        scores: [
          {
            name: 'verdict',
            scored_samples: 2,
            unscored_samples: 1,
            metrics: { accuracy: { value: 0.75 }, stderr: { value: 0.25 } },
          },
          { name: 'match', metrics: { mean: { value: 0.75 }, stderr: { value: 0.25 } } },
        ],
      },
    })
    const [first] = log.samples
    expect(first).toMatchObject({
      ...{ id: 'a', epoch: 1, input: 'What is a?', target: 'four', total_time: 12.5 },
      scores: { verdict: { value: 'C' }, match: { value: 1 } },
      model_usage: { agent: { input_tokens: 10, output_tokens: 5, input_tokens_cache_read: 20 } },
    })
    expect(first.messages.map(({ role }: { readonly role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(first.messages[2]).toMatchObject({
      tool_calls: [{ id: 'call-1', function: 'add', arguments: { a: 2, b: 2 } }],
    })
    expect(log.samples[4]).toMatchObject({ id: 'c', error: { message: 'no sandbox' }, scores: {} })
    const [again] = await imported(at, 'out.json', '--name', 'again')
    expect(again.metrics.filter(({ computed, logged }: never) => computed !== logged)).toEqual([])
    const trials = async (name: string, id: string) =>
      (await trialsOf(at, name, id)).map(({ itemId, passed, usage, task }) => [itemId, passed, usage, task])
    expect(await trials('again', again.runId)).toEqual(await trials('sums', runId))
  })

  testOnce('holds one run', async () => {
    using at = project()
    write(at, 'one.eval', zipped(head(), four))
    write(at, 'two.eval', zipped(head({ model: 'openai/two' }), four))
    const ids = [...(await imported(at, 'one.eval')), ...(await imported(at, 'two.eval'))].map(({ runId }) => runId)
    const { code, stdout, stderr } = await at.jurist('export', ...ids, '--format', 'inspect')
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('A log of Inspect holds one run')])
  })
})
