import { existsSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Found, reportOf } from '../../src/commands/validate/validate-datasets.js'
import { configOf, project, yamlConfigOf } from '../project.js'

const require = createRequire(import.meta.url)
const directoryConfig = yamlConfigOf({ dataset: 'dataset' })
const manifest = (items: readonly object[], more: object = {}) =>
  JSON.stringify({ schemaVersion: 1, name: 'demo', version: '1', items, ...more })
const item = { 'dataset/items/a/item.json': '{"developerTask": "x"}', 'dataset/items/a/before/x': '' }

describe.concurrent('a dataset that cannot be used: one message, code 2, nothing written', () => {
  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['is missing', {}, /dataset/],
    ['is no JSON', { 'dataset/dataset.json': '{\n  "name": nope }' }, /line 2.*column 11|2:11/],
    ['has an unknown schema version', { 'dataset/dataset.json': manifest([], { schemaVersion: 7 }) }, /7/],
    [
      'has an id twice',
      {
        ...item,
        'dataset/dataset.json': manifest([
          { id: 'a', path: 'items/a' },
          { id: 'a', path: 'items/b' },
        ]),
      },
      /twice/,
    ],
    ['leads out', { 'dataset/dataset.json': manifest([{ id: 'a', path: '../a' }]) }, /\.\.\/a/],
    ['has an absolute path', { 'dataset/dataset.json': manifest([{ id: 'a', path: '/a' }]) }, /\/a/],
    [
      'has an item with unknown keys',
      {
        'dataset/dataset.json': manifest([{ id: 'a', path: 'items/a' }]),
        'dataset/items/a/item.json': '{"developerTask": "x", "tag": ["x"], "metdata": {}, "timeout": 5, "prompt": "y"}',
        'dataset/items/a/before/x': '',
      },
      /metdata: is not[\s\S]*tag: is not a known key\. Did you mean "tags"\?[\s\S]*timeout: is not a known key\. Did you mean "timeoutMs"\?/,
    ],
    [
      'has unknown keys in the manifest',
      { 'dataset/dataset.json': manifest([{ id: 'a', path: 'items/a', buckt: 'x' }], { verion: 2 }) },
      /items\[0\]\.buckt: is not a known key\. Did you mean "bucket"\?[\s\S]*verion[\s\S]*"version"/,
    ],
    [
      'has no before/',
      {
        'dataset/dataset.json': manifest([{ id: 'a', path: 'items/a' }]),
        'dataset/items/a/item.json': '{"developerTask": "x"}',
      },
      /before/,
    ],
  ])('%s', async (_, files, message) => {
    using made = project({ 'jurist.config.yaml': directoryConfig, ...files })
    const { code, stderr } = await made.jurist('run')
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
    expect(existsSync(join(made.directory, 'results'))).toBe(false)
  })
})

describe.concurrent('a config that cannot be used', () => {
  test.each<[string, string, RegExp]>([
    [
      'throws',
      "import 'jurist'\n\nthrow new Error('the key is missing')\n",
      /jurist\.config\.ts:3: could not be loaded: the key is missing/,
    ],
    ['does not parse', 'export default {\n', /could not be loaded/],
    ['is no object', 'export default 7\n', /must be an object \(got 7\)/],
    [
      'has unknown keys',
      'export default { experimets: {}, storee: "x" }\n',
      /experimets[\s\S]*"experiments"[\s\S]*storee[\s\S]*"store"/,
    ],
    ['has a jury with a number as a name', configOf({ jury: '{ judges: { 1: () => true } }' }), /whole number|"1"/],
    [
      'has a cascade with a tier twice',
      configOf({
        jury: "cascade([{ name: 'a', policy: 'reject-on-any-fail', jury: () => true }, { name: 'a', policy: 'final', jury: () => true }])",
      }),
      /"a"/,
    ],
    [
      'has a cascade without a final tier',
      configOf({ jury: "cascade([{ name: 'a', policy: 'reject-on-any-fail', jury: () => true }])" }),
      /final/,
    ],
    [
      'has a bad timeout and concurrency',
      configOf({ rest: 'itemTimeoutMs: 0, concurrency: 0,' }),
      /itemTimeoutMs[\s\S]*concurrency|concurrency[\s\S]*itemTimeoutMs/,
    ],
    ['has a bad threshold', 'export default { thresholds: { passRate: 80 } }\n', /thresholds\.passRate/],
  ])('%s', async (_, config, message) => {
    using made = project({ 'jurist.config.ts': config })
    const { code, stderr } = await made.jurist('run')
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('imports, natively and beside an installed jurist, what does not exist', async () => {
    using made = project({ 'jurist.config.mjs': "import 'jurist'\nimport './missing.mjs'\n", 'node_modules/x': '' })
    symlinkSync(dirname(require.resolve('jurist/package.json')), join(made.directory, 'node_modules/jurist'))
    const { code, stderr } = await made.jurist('run')
    expect(stderr).toMatch(/could not be loaded: Cannot find module '.*missing\.mjs'/)
    expect(code).toBe(2)
  })

  const experiment = (rest: string) => `experiments: { demo: { agent: { command: ["true"] }, ${rest} } }\n`

  test.each<[string, string, RegExp]>([
    ['a dataset that is a number', experiment('dataset: 7'), /dataset: must be a path.*\(got 7\)/],
    ['a dataset of nothing', experiment('dataset: [null]'), /items\[0\].*null/],
    [
      'a dataset under another name',
      experiment('datset: x.jsonl'),
      /datset: is not a known key\. Did you mean "dataset"\?/,
    ],
    ['a path that is too long', experiment(`dataset: ${'a'.repeat(300)}`), /the path is too long/],
    [
      'a path through a file',
      experiment('dataset: jurist.config.yaml/x'),
      /a part of the path is a file|does not exist/,
    ],
    ['a project directory that is a number', experiment('dataset: [], projectDirectory: 7'), /projectDirectory/],
    ['a variant that is nothing', experiment('dataset: [], variants: { a: null }'), /variants\.a/],
    [
      'a store that is a file',
      `store: jurist.config.yaml\n${experiment('dataset: []')}`,
      /is a file, and results need/,
    ],
    ['an envFile that is a number', `envFile: 7\n${experiment('dataset: []')}`, /envFile.*must be a path/],
    ['100,000 brackets', '['.repeat(100_000), /cannot be read: nested deeper than 256 levels/],
    [
      '100,000 anchors',
      Array.from({ length: 100_000 }, (_, index) => `- &a${index} 1`).join('\n'),
      /cannot be read: more than 500000 lexemes|takes longer than 5 seconds to read/,
    ],
    [
      'aliases that each need a search through the whole file',
      `a: &a [1]\nb:\n${'- *a\n'.repeat(60_000)}`,
      /takes longer than 5 seconds to read|Use fewer aliases/,
    ],
    ['a missing envFile that is required', `envFile: { path: .env, required: true }\n`, /\.env does not exist/],
  ])('%s ends with 2 and a remedy, on stderr and in the JSON document', async (_, config, message) => {
    using made = project({ 'jurist.config.yaml': config })
    const { code, stdout, stderr } = await made.juristWith({ JURIST_RESULTS: '' }, 'run', '--json')
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    const { error } = JSON.parse(stdout)
    expect(error).toMatchObject({ code: expect.not.stringMatching('internal'), remedy: expect.stringMatching(/\w{4}/) })
  })

  test('any value as any option is a problem, and never breaks the tool', async () => {
    const values = ['7', 'null', 'true', '"x"', '[]', '[null]', '{}', '{a: null}']
    const options = [
      'dataset',
      'agent',
      'jury',
      'variants',
      'knowledge',
      'filter',
      'budget',
      'hooks',
      'projectDirectory',
    ]
    const cases = options.flatMap((option) => values.map((value) => ({ option, value })))
    const lines = cases.map(({ option, value }, index) => {
      const rest = { dataset: '[{ id: a, task: t }]', agent: '{ command: ["true"] }', [option]: value }
      return `  e${index}: { ${Object.entries(rest)
        .map(([key, given]) => `${key}: ${given}`)
        .join(', ')} }`
    })
    using made = project({ 'jurist.config.yaml': `experiments:\n${lines.join('\n')}\n` })
    const { code, stderr } = await made.jurist('validate')
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('broke')])
  })

  test('a missing envFile is a notice', async () => {
    using made = project({ 'jurist.config.yaml': `envFile: .env\n${yamlConfigOf()}` })
    const { code, stderr } = await made.jurist('run', '--no-judge', '--dry-run')
    expect([code, stderr]).toEqual([0, expect.stringContaining('notice: envFile .env does not exist')])
  })

  test('no config, or two', async () => {
    using made = project()
    const none = await made.jurist('run')
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('Make one: jurist init')
    made.write({ 'jurist.config.ts': '', 'jurist.config.yaml': '' })
    const two = await made.jurist('run')
    expect(two.stderr).toContain('jurist.config.ts and jurist.config.yaml')
  })

  test('YAML: every problem with line and column', async () => {
    using made = project({
      'jurist.config.yaml': `experiments:
  demo:
    dataset: [{ id: a, task: x }]
    agent: { command: [true], stdn: prompt }
    jury: { judges: { a: { type: file-exist, path: x } }, vote: consensu }
`,
    })
    const { code, stderr } = await made.jurist('run')
    expect(code).toBe(2)
    expect(stderr).toMatch(/stdn \(line 4, column \d+\)/)
    expect(stderr).toMatch(/unknown judge "file-exist"\. Did you mean "file-exists"\?/)
    expect(stderr).toMatch(/unknown vote "consensu"\. Did you mean "consensus"\?/)
  })

  test('invalid JSON: line and column', async () => {
    using made = project({ 'jurist.config.json': '{\n  "experiments": {,}\n}' })
    const { code, stderr } = await made.jurist('run')
    expect(code).toBe(2)
    expect(stderr).toContain('line 2')
  })
})

describe.concurrent('an argument that cannot be used', () => {
  const withVariants = yamlConfigOf({ rest: 'variants: { control: {}, knowledge: {} }' })
  test.each<[readonly string[], readonly string[]]>([
    [['run', 'dmo'], ['No experiment "dmo" in jurist.config.yaml. Did you mean "demo"? Available: demo.']],
    [['run', '--variant', 'kb'], ['demo has no variant "kb". Available: control, knowledge.']],
    [
      ['run', '--item', 'on'],
      ['No item "on"', '"one"'],
    ],
    [
      ['run', '--bucket', 'simpel'],
      ['No bucket "simpel"', '"simple"'],
    ],
    [
      ['run', '--item', 'one', '--bucket', 'simple'],
      ['The selection is empty', 'matches all flags'],
    ],
    [
      ['run', '--slug', 'tow', '--task-type', 'fix', '--tag', 'esay', '--not-tag', 'hadr', '--not-item', 'on'],
      [
        'No slug "tow" in the dataset demo (2 items). Did you mean "two"? Available: one, two.',
        'No task type "fix" in the dataset demo (2 items). Available: bugfix.',
        'No tag "esay" in the dataset demo (2 items). Did you mean "easy"? Available: easy, hard.',
        'No tag "hadr" in the dataset demo (2 items). Did you mean "hard"? Available: easy, hard.',
        'No item "on" in the dataset demo (2 items). Did you mean "one"?',
      ],
    ],
    [
      ['run', '-j', '0', '--repeat', 'x', '--budget', 'five', '--item-timeout', '15x', '--threshold', '8'],
      [
        '--concurrency must be an integer of at least 1 (got "0").',
        '--repeat',
        '--budget must be an amount in US dollars, such as 2.50 (got "five").',
        '--item-timeout must be a duration, such as 500ms, 30s, 15m or 2h (got "15x").',
        '--threshold',
      ],
    ],
    [['run', '--item-timeout', '0'], ['--item-timeout must be greater than zero (got "0").']],
    [
      ['run', '--reporter', 'slack'],
      ['Unknown reporter "slack"', 'Available: console, plain, json, github, csv, jsonl, junit'],
    ],
    [['run', '-o', 'report.pdf'], ['.csv, .jsonl, .json, .xml, .md, .html']],
    [['run', '--resume', 'nope'], ['No run "nope"']],
    [
      ['run', '--sweep', '../x'],
      ['--sweep: ', '../x'],
    ],
    [
      ['run', '--sweep', '../x', '--dry-run'],
      ['--sweep: ', '../x'],
    ],
    [
      ['run', '--session', 'a/b', '--dry-run'],
      ['--session: ', 'a/b'],
    ],
    [['run', '--retry-errors'], ['--retry-errors needs --resume. Add it.']],
    [['-C', 'absent', 'run'], ['absent is missing. Give a directory.']],
    [['-C', 'jurist.config.yaml', 'run'], ['jurist.config.yaml is a file.']],
    [['init', 'jurist.config.yaml'], ['jurist.config.yaml is a file. Give a directory']],
    [
      ['run', '--require-clean-git'],
      ['has no git commit', 'leave out "requireCleanGit"'],
    ],
    [
      ['judge', '.', '--judge', '{"type":"file-exists","pth":"x"}'],
      ['--judge pth: is not a known key. Did you mean "path"?'],
    ],
    [['show', 'nope'], ['No run "nope" in ']],
    [['judge', '.', '--jury', 'rulez'], ['No jury "rulez"']],
    [['judge', '.'], ['Use either --jury <name or file> or --judge <json>.']],
    [['judge', 'missing', '--judge', '{"type":"file-exists","path":"x"}'], ['missing is missing']],
  ])('%j', async (argv, messages) => {
    using made = project({ 'jurist.config.yaml': withVariants })
    const { code, stderr } = await made.jurist(...argv)
    for (const message of messages) expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})

describe.concurrent('an environment variable instead of a flag', () => {
  const variables = ['JURIST_CONCURRENCY', 'JURIST_BUDGET_USD'] as const
  test.each([
    [['run'], variables],
    [['rejudge', 'latest'], variables],
    [['calibrate'], ['JURIST_CONCURRENCY'] as const],
  ])('of %j is named when it is wrong, and counts as unset when it is empty', async (argv, names) => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    for (const name of names) {
      const { code, stderr } = await made.juristWith({ [name]: 'x' }, ...argv)
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^${name} must be .*"x"\\)`, 'm'))])
    }
    const empty = Object.fromEntries(variables.map((name) => [name, '']))
    expect((await made.juristWith(empty, ...argv)).stderr).not.toContain('not ""')
  })

  test('gives way to the flag', async () => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    const { code } = await made.juristWith({ JURIST_CONCURRENCY: 'x' }, 'run', '--dry-run', '-j', '2')
    expect(code).toBe(0)
  })
})

describe.concurrent('a flag of sessions for an experiment without variants', () => {
  test.each([['--session'], ['--sweep'], ['--order']])('%s is refused', async (flag) => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    const { code, stderr } = await made.jurist('run', flag, flag === '--order' ? 'item' : 'x')
    expect(stderr).toContain(`${flag} needs variants, and demo has none. Remove it.`)
    expect(code).toBe(2)
    expect(existsSync(join(made.directory, 'results'))).toBe(false)
  })
})

describe.concurrent('validate', () => {
  const broken = `experiments:
  first:
    dataset: nowhere
    repetitions: 0
    agent: { command: 3 }
    jury: { judges: { a: { type: file-exists, patth: x }, b: { type: file-content, path: ../x, contains: y } } }
  second: { dataset: nowhere, itemTimeoutMs: soon, fooBar: 1, jury: { type: command-succeeds, command: [ls], cwd: /etc } }
thresholds: { passRate: 7 }
`

  test('names the problems of agents, judges, values and datasets together, each with its place', async () => {
    using made = project({ 'jurist.config.yaml': broken })
    const { code, stdout } = await made.jurist('validate')
    const problems = [
      'experiments.first.agent.command (line 5, column 14) must be a non-empty array (got 3).',
      'experiments.first.jury.judges.a.patth (line 6, column 47) is not a known key.  Did you mean "path"?',
      'experiments.first.jury.judges.b.path (line 6, column 84) "../x" is outside of the workspace.',
      'experiments.second.jury.cwd (line 7, column 110) "/etc" is outside of the workspace.',
      'thresholds.passRate (line 8, column 15) must be a number from 0 to 1 (got 7).',
      'experiments.first.repetitions (line 4, column 5) must be a whole number of at least 1 (got 0).',
      'experiments.second.itemTimeoutMs (line 7, column 31) must be a finite number',
      'experiments.second.fooBar (line 7, column 52) is not a known key.',
      'first: nowhere\n',
      'second: nowhere\n',
      '10 errors in 3 files. Nothing was run.',
    ]
    for (const problem of problems) expect(stdout).toContain(problem)
    expect(code).toBe(1)
    const ran = await made.jurist('run', 'first')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/first\.repetitions[\s\S]*first\.agent[\s\S]*fooBar/),
    ])
  })

  test.each([
    ['experiments:\n  a: [\n  b: }\n', ['(line 3, column 3) Flow sequence in block collection']],
    ['x: 1\nx: 2\ny: 1\ny: 2\n', ['(line 2, column 1) Map keys', '(line 4, column 1) Map keys']],
    ['experiments: *all\n', ['(line 1, column 14) There is no anchor "&all" before "*all".']],
  ])('names each mistake of YAML once: %j', async (text, problems) => {
    using made = project({ 'jurist.config.yaml': text })
    const { code, stdout } = await made.jurist('validate')
    for (const problem of problems) expect(stdout).toContain(problem)
    expect([code, stdout]).toEqual([1, expect.stringMatching(new RegExp(`^${problems.length} errors? in 1 file`, 'm'))])
  })

  test('names every problem by file, runs nothing, ends with 1', async () => {
    using made = project({
      'jurist.config.yaml': directoryConfig,
      'dataset/dataset.json': manifest([
        { id: 'a', path: 'items/a', status: 'archived' },
        { id: 'a', path: 'items/b' },
        { id: 'c', path: 'items/c' },
        { id: 'd', path: 'items/d', status: 'disabled' },
      ]),
      'dataset/items/c/item.json': '{"developerTask":" "}',
      'dataset/items/c/before/a': '',
      'dataset/items/d/item.json': '{"developerTask":"do"}',
    })
    const { code, stdout } = await made.jurist('validate')
    expect(code).toBe(1)
    expect(stdout).toContain('archived')
    expect(stdout).toContain('twice')
    // Items are read although their list is refused; a disabled one needs no files.
    expect(stdout).toMatch(/items\/c\/item\.json\n {2}developerTask +is blank/)
    expect(stdout).not.toContain('items/d')
    expect(stdout).toMatch(/Nothing was run\.$/m)
  })

  test('a line that is not JSON does not keep the rows around it from being checked', async () => {
    using made = project({
      'jurist.config.yaml': yamlConfigOf({ dataset: 'rows.jsonl' }),
      'rows.jsonl': '{"id":"a","task":"x"}\n{bad\n{"id":"c"}\n',
    })
    const { code, stdout } = await made.jurist('validate')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/line 2 +is not JSON[\s\S]*line 3, task +is missing/)])
  })

  test('looks at labelled items too, and says what it looked at', async () => {
    const config = (items: string) =>
      `export default { calibrations: { careful: { candidate: () => true, items: '${items}' } } }`
    using made = project({ 'jurist.config.mjs': config('labels.jsonl') })
    const missing = await made.jurist('validate')
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringMatching(/careful: labels\.jsonl\n.* does not exist/),
    ])
    made.write({ 'labels.jsonl': '{"id":"a","task":"t","label":"pass"}\n' })
    const fine = await made.jurist('validate')
    expect(fine).toMatchObject({
      code: 0,
      stdout: [
        'careful: columns read as id → id, task → task, label → label',
        'No problem found in 0 experiments, 1 calibration. Nothing was run.\n',
      ].join('\n'),
    })
  })

  test('a calibration whose labels cannot be used is refused, with the columns there are', async () => {
    const config = "export default { calibrations: { careful: { candidate: () => true, items: 'rated.csv' } } }"
    using made = project({ 'jurist.config.mjs': config, 'rated.csv': 'task,rater\na,pass\nb,fail\n' })
    const problem = 'all 2 items have no label. '
    const remedy = 'The items have: rater. Name the column with "items": { path, columns: { label } }'
    const validated = await made.jurist('validate')
    expect([validated.code, validated.stdout]).toEqual([1, expect.stringContaining(remedy)])
    const refused = await made.jurist('calibrate')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(problem)])
    expect(refused.stderr).toContain(remedy)
    expect(existsSync(join(made.directory, 'results'))).toBe(false)
    made.write({ 'rated.csv': 'task,label\na,passs\nb,fail\nc,\n' })
    const some = await made.jurist('calibrate')
    expect(some.code).toBe(0)
    expect(some.stderr).toContain('warning: 1 of 3 items has no label (row-4).')
    expect(some.stderr).toContain('Expected the label pass, fail, abstain or error, not "passs"')
    expect((await made.jurist('validate', '--strict')).code).toBe(1)
  })

  test('says what the columns of rows are read as, and so does run', async () => {
    using made = project({
      'jurist.config.yaml': yamlConfigOf({ dataset: 'rows.csv' }),
      'rows.csv': 'question,answer,context,source,lable\nq,a,c,g,pass\n',
      'more.csv': 'question,usage,setup,year\nq,1,2,3\n',
    })
    const read = 'question → task, answer → expected, context → reference data; metadata: source, lable'
    const validated = await made.jurist('validate')
    expect([validated.code, validated.stdout]).toEqual([0, expect.stringContaining(`demo: columns read as ${read}\n`)])
    expect(validated.stdout).toContain('warning: the column "lable" is read as metadata.  Did you mean "label"?')
    expect(JSON.parse((await made.jurist('validate', '--json')).stdout).columns.demo).toHaveLength(5)
    expect((await made.jurist('run')).stderr).toContain(`demo: columns read as ${read}\n`)
    made.write({ 'jurist.config.yaml': yamlConfigOf({ dataset: 'more.csv' }) })
    const more = await made.jurist('validate')
    expect(more.stdout).toContain('warning: the column "usage" is not seen by judges: a run sets this key itself.')
    expect(more.stdout).toContain('warning: the column "setup" is read as metadata: only items of a directory')
    expect(more.stdout).toContain('warning: the column "year" has no known name: agents see it in task.input')
    expect(more.stdout).toContain('3 warnings')
    expect((await made.jurist('validate', '--strict')).stderr).toContain('0 errors, 3 warnings (exit code 1)')
  })

  test('says alike warnings once, each error, and all in the columns of the terminal', () => {
    const bucket = {
      place: 'bucket',
      problem: 'is "hard" here and "" in dataset.json, which wins.',
      remedy: 'Leave it out.',
    }
    const found: readonly Found[] = [
      ...['a', 'b', 'c'].map((file) => ({ file, ...bucket, severity: 'warning' as const })),
      { file: 'b', place: 'items[7].tags', problem: 'has no tag.', remedy: 'Name one.', severity: 'warning' },
      { file: 'b', place: 'items[12].tags', problem: 'has no tag.', remedy: 'Name one.', severity: 'warning' },
      ...['a', 'd'].map((file) => ({
        file,
        place: 'task',
        problem: 'is missing.',
        remedy: 'Add it.',
        severity: 'error' as const,
      })),
    ]
    const told = reportOf(found, 'it')
    expect(told.match(/which wins/g)).toHaveLength(1)
    expect(told).toContain('warning, 3 times: is "hard"')
    expect(told).toContain('  items[7].tags      warning, 2 times: has no tag.  Name one.\n')
    expect(told.match(/is missing/g)).toHaveLength(2)
    expect(told).toContain('2 errors, 5 warnings in 4 files.')
  })
})
