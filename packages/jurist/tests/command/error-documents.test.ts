import { readFileSync } from 'node:fs'
import { validate } from '@cfworker/json-schema'
import { describe, expect } from 'vitest'
import { project, yamlConfigOf } from '../project.js'
import { testOnce } from '../project-results.js'

const schema = JSON.parse(readFileSync(new URL('../../schema/error.schema.json', import.meta.url), 'utf8'))
const valid = { 'jurist.config.yaml': yamlConfigOf() }
const misspelt = { 'jurist.config.yaml': 'experimets: {}\n' }
const brokenRows = {
  'jurist.config.yaml': 'experiments: { a: { dataset: rows.jsonl, jury: { type: output-text, contains: a } } }\n',
  'rows.jsonl': '{"task": \n',
}

describe.concurrent('an error under --json is one document that the published schema accepts', () => {
  testOnce.each([
    [
      'a misspelt key',
      misspelt,
      ['run'],
      'config-invalid',
      /jurist\.config\.yaml: experimets \(line 1, column 1\)$/,
      /Did you mean/,
    ],
    ['a wrong row', brokenRows, ['run'], 'dataset-invalid', /^rows\.jsonl: line 1/, /./],
    ['an unknown item', valid, ['run', '--item', 'nope'], 'usage-invalid', /^--item$/, /Available/],
    ['a missing run', valid, ['show', 'nope'], 'usage-invalid', /^run$/, /jurist run/],
    ['an unknown flag', valid, ['run', '--repeet', '3'], 'usage-invalid', /^--repeet$/, /jurist run --help/],
    ['an unknown command', valid, ['rnu'], 'usage-invalid', /^rnu$/, /Did you mean "run"/],
  ] as const)('%s', async (_, files, argv, error, place, remedy) => {
    using made = project(files)
    const { code, stdout } = await made.jurist(...argv, '--json')
    const document = JSON.parse(stdout)
    expect(validate(document, schema, '2020-12').errors).toEqual([])
    expect([code, document]).toEqual([
      2,
      {
        error: {
          code: error,
          message: expect.any(String),
          place: [expect.stringMatching(place)],
          remedy: expect.stringMatching(remedy),
          details: expect.any(Object),
        },
      },
    ])
  })
})
