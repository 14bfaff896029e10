import { judgeTypeNames } from './described-judge.js'
import { scorerNames, voteNames } from './described-jury.js'

const text = { type: 'string' }
const positive = { type: 'number', exclusiveMinimum: 0 }
const count = { type: 'integer', minimum: 1 }
const rate = { type: 'number', minimum: 0, maximum: 1 }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const record = (values: object) => ({ type: 'object', additionalProperties: values })

const experiment = {
  type: 'object',
  required: ['dataset', 'agent'],
  properties: {
    dataset: { description: 'A directory or a file, relative to this file.', type: ['string', 'array'] },
    agent: ref('agent'),
    jury: ref('jury'),
    prompt: text,
    systemPrompt: text,
    model: text,
    itemTimeoutMs: positive,
    judgeTimeoutMs: positive,
    setupTimeoutMs: positive,
    experimentTimeoutMs: positive,
    repetitions: count,
    concurrency: count,
    judgeConcurrency: count,
    judgeFailedRuns: { type: 'boolean' },
    filter: { type: 'object' },
    variants: record({ type: 'object' }),
    budget: { type: 'object' },
    bail: { type: ['boolean', 'integer'] },
    maxInfrastructureFailures: { type: ['boolean', 'integer'] },
    preserveWorkspaces: { enum: ['all', 'failed', 'none'] },
    sandbox: {
      description: 'Where commands of the agent and of judges run.',
      oneOf: [
        { type: 'string', pattern: '^(none|auto|bubblewrap|(docker|podman):\\S+)$' },
        {
          type: 'object',
          required: ['bubblewrap'],
          additionalProperties: false,
          properties: { bubblewrap: { type: 'object' } },
        },
        {
          type: 'object',
          required: ['docker'],
          additionalProperties: false,
          properties: { docker: { type: 'object' } },
        },
      ],
    },
  },
}

const agent = {
  oneOf: [
    {
      type: 'object',
      required: ['command'],
      additionalProperties: false,
      properties: {
        command: { type: 'array', items: { type: ['string', 'object'] }, minItems: 1 },
        stdin: { enum: ['prompt', 'none'] },
        promptFile: text,
        timeoutMs: positive,
        name: text,
        promptThrough: { enum: ['argument', 'stdin', 'file'] },
        read: { enum: ['text', 'json', 'json-lines'] },
        successCodes: { type: 'array', items: { type: 'integer' }, minItems: 1 },
        maxOutputBytes: { type: 'integer', minimum: 1 },
        permissions: { enum: ['read-only', 'workspace', 'full'] },
        environment: { type: 'object' },
        model: text,
        graceMs: { type: 'number', minimum: 0 },
        prices: { type: 'object' },
        transcript: { enum: ['full', 'events', 'none'] },
      },
    },
    ref('module'),
    ref('use'),
  ],
}

const jury = {
  type: 'object',
  properties: {
    judges: { oneOf: [record(ref('jury')), { type: 'array', items: ref('jury') }] },
    vote: ref('vote'),
    cascade: { type: 'array', items: ref('tier') },
    use: text,
    type: { description: 'A judge by the name of its factory.', enum: judgeTypeNames },
    judge: ref('jury'),
    module: text,
    mustDecide: { description: 'What an abstention becomes. Default: it stays one.', enum: ['fail', 'error'] },
  },
}

const voteName = { enum: voteNames }
const vote = {
  oneOf: [
    voteName,
    {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: {
        type: voteName,
        onError: {
          description:
            'What a judge in error counts as. Default: an error of the vote, where the outcome depends on it.',
          enum: ['propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore'],
        },
        onTie: { enum: ['pass', 'fail', 'abstain'] },
        passes: {
          description: 'For plurality: the category that passes, or several. Default: as the judges say.',
          oneOf: [text, { type: 'array', items: text, minItems: 1 }],
        },
        onMixed: { enum: ['fail', 'abstain'] },
        threshold: rate,
        minEligible: count,
      },
    },
    ref('use'),
  ],
}

const tier = {
  type: 'object',
  required: ['name', 'policy', 'jury'],
  additionalProperties: false,
  properties: {
    name: text,
    policy: { enum: ['reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided', 'final'] },
    jury: ref('jury'),
    onError: { enum: ['stop', 'escalate'] },
  },
}

const texts = { type: 'array', items: text }
const calibration = {
  type: 'object',
  required: ['items'],
  properties: {
    candidate: ref('jury'),
    judges: {
      description: 'Several judges, in one table. Default without a candidate: all whose answers the items keep.',
      oneOf: [record(ref('jury')), texts],
    },
    recorded: {
      type: 'object',
      additionalProperties: false,
      properties: {
        pass: texts,
        fail: texts,
        categories: { oneOf: [{ const: 'any' }, texts] },
        range: { type: 'object' },
        passingAt: rate,
      },
    },
    items: text,
    scorer: {
      oneOf: [
        { enum: scorerNames },
        { type: 'object', required: ['type'], properties: { type: { enum: scorerNames } } },
      ],
    },
    repetitions: count,
    concurrency: count,
    altTest: {
      type: 'object',
      additionalProperties: false,
      properties: { epsilon: { type: 'number' }, q: rate, minimumItems: count },
    },
  },
}

const envFile = {
  oneOf: [
    text,
    {
      type: 'object',
      required: ['path'],
      additionalProperties: false,
      properties: { path: text, required: { type: 'boolean' } },
    },
  ],
}

/** The JSON Schema of a YAML or JSON config, for editors. */
export function configSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Config of jurist',
    type: 'object',
    additionalProperties: false,
    properties: {
      store: text,
      experiments: record(ref('experiment')),
      juries: record(ref('jury')),
      agents: record(ref('agent')),
      votes: record(ref('vote')),
      calibrations: record(calibration),
      thresholds: {
        type: 'object',
        additionalProperties: false,
        properties: {
          passRate: rate,
          passRateOfAll: rate,
          scores: record(rate),
          maxCostUsd: { type: 'number', minimum: 0 },
          minimumDecided: { type: 'integer', minimum: 0 },
          agreement: rate,
          kappa: rate,
        },
      },
      envFile,
    },
    $defs: {
      experiment,
      agent,
      jury,
      tier,
      vote,
      use: { type: 'object', required: ['use'], additionalProperties: false, properties: { use: text } },
      module: {
        type: 'object',
        required: ['module'],
        properties: { module: text, export: text, options: { type: 'object' } },
      },
    },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
