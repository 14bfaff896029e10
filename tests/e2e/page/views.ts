import type { SampleStore } from './sample-store.js'

/** A view of the page: where it is, and texts that it must show. */
export interface View {
  readonly name: string
  readonly place: string
  readonly shows: readonly [string | RegExp, ...(string | RegExp)[]]
}

/** Every view of the page on the sample. */
export function viewsOf({ runs: { control, knowledge }, calibration }: SampleStore): readonly View[] {
  const item = `#/runs/${control}/items/fix-totals/1`
  return [
    { name: 'runs', place: '#/', shows: ['maintain-shop', 'knowledge', 'Choose two to compare'] },
    {
      name: 'run',
      place: `#/runs/${control}`,
      shows: ['All 2 variants of the session november', 'add-endpoint', /Passed \d+ of \d+ decided/],
    },
    { name: 'search', place: `#/runs/${control}?q=TODO&outcome=fail`, shows: ['fix-totals'] },
    { name: 'conditions', place: `#/runs/${knowledge}/conditions`, shows: ['fingerprint', 'large-2'] },
    {
      name: 'figures',
      place: `#/runs/${control}/figures`,
      shows: ['Why trials did not pass', 'Scores', 'Repeated trials', 'pass^k'],
    },
    {
      name: 'judges',
      place: `#/runs/${control}/judges`,
      shows: ['Failed alone', 'What the cascade saved', 'Agreement of judges', 'Furthest apart'],
    },
    {
      name: 'what-if',
      place: `#/runs/${control}/what-if?threshold:meaning=0.9`,
      shows: ['Trials whose outcome changes', 'Pass rate over threshold', 'Copy as YAML'],
    },
    {
      name: 'item',
      place: item,
      shows: ['The gate rules rejected it', 'counts in cents', 'I rounded the sum at the end.'],
    },
    { name: 'raw texts', place: `${item}?raw=yes`, shows: ['I rounded the sum at the end.'] },
    {
      name: 'all files',
      place: `${item}/changes?against=nothing&path=src/orders.js&line=7`,
      shows: [/^\d+ files$/, /^export function total/],
    },
    { name: 'place', place: `${item}/changes?path=src/orders.js&line=7`, shows: ['src/orders.js'] },
    { name: 'changes', place: `${item}/changes`, shows: ['src/orders.js', /Math\.round\(sum/] },
    {
      name: 'changes-sides',
      place: `${item}/changes?against=reference&layout=sides`,
      shows: ['CHANGES.md', /cents \+=/],
    },
    {
      name: 'journal',
      place: `${item}/journal`,
      shows: [/^12 steps, .* 7 tool calls, 4 failed/, 'Next failure'],
    },
    { name: 'cost', place: `${item}/cost`, shows: ['Phases of the agent', 'rules/cents'] },
    {
      name: 'calibration',
      place: `#/runs/${calibration}/calibration`,
      shows: [
        'Confusion matrix',
        'Reliability',
        'Members of the jury',
        'Judge and annotators',
        'Consistency',
        'Disagreements',
        /^expected (pass|fail)$/,
      ],
    },
    { name: 'trial of a calibration', place: `#/runs/${calibration}/items/answer-01/1`, shows: [/^Expected/] },
    {
      name: 'behaviour',
      place: `#/runs/${control}/behaviour`,
      shows: ['What follows what', 'How trials end', /test × 3/],
    },
    {
      name: 'comparison',
      place: `#/compare/${control}/${knowledge}`,
      shows: [
        /^(Improved|No difference|There are too few)/,
        'Scores that changed',
        'Pass rate',
        /^Flips: \d+ of \d+ pairs of trials, /,
        '95 % interval',
      ],
    },
    {
      name: 'experiment',
      place: '#/experiments/maintain-shop?variant=control',
      shows: ['A trend needs two runs.', 'Pass rate with its 95 % interval; thin line: pass^k, all repetitions pass'],
    },
    {
      name: 'session',
      place: '#/sessions/maintain-shop/november',
      shows: ['2 variants', 'Cost and pass rate', 'Pairs', /^p \d\.\d+$/],
    },
    {
      name: 'runs side by side',
      place: `#/together/${control}/${knowledge}/${calibration}`,
      shows: ['side by side', 'Pairs'],
    },
    {
      name: 'two trials',
      place: `#/compare/${control}/${knowledge}/items/fix-totals`,
      shows: ['Outputs', 'Verdicts', 'Task'],
    },
    {
      name: 'changes of two trials',
      place: `#/compare/${control}/${knowledge}/items/fix-totals/changes`,
      shows: ['src/orders.js'],
    },
    {
      name: 'journals of two trials',
      place: `#/compare/${control}/${knowledge}/items/fix-totals/journal`,
      shows: [/^12 steps, /],
    },
    { name: 'outputs', place: `#/outputs/${control}/${knowledge}`, shows: ['fix-totals', 'Input'] },
    { name: 'nowhere', place: '#/elsewhere', shows: ['This address does not exist.'] },
    { name: 'unknown run', place: '#/runs/20200101T000000000Z-000000', shows: [/has no run/] },
  ]
}
