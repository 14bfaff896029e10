import { reportText } from '@jurist/experiment/report'
import { aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { partsOf } from '../../../viewer/tests/report-parts.js'
import {
  type FormatName,
  formatByEnding,
  formatNames,
  formats,
  reportFileOf,
} from '../../src/command-kit/report-formats.js'
import { runFlags } from '../../src/commands/run/run-flags.js'

async function textOf(name: FormatName, runs = [aResult()]): Promise<string> {
  let text = ''
  for await (const part of reportText(formats[name], runs)) text += part
  return text
}

describe.each(formatNames)('the format %s', (name) => {
  const { ending } = formats[name]

  test('is selected by its ending, which no other format has', () => {
    expect(formatByEnding(`report${ending}`)).toBe(name)
    expect(formatNames.filter((other) => formats[other].ending === ending)).toEqual([name])
  })

  test('writes every run', async () => {
    const runs = ['first', 'second'].map((variant) => aResult({ variant }))
    const text = await textOf(name, runs)
    const readable = name === 'html' ? JSON.stringify(partsOf(text)) : text
    for (const { variant } of runs) expect(readable).toContain(variant)
    expect(text.endsWith('\n')).toBe(true)
  })

  test('is empty without runs', async () => {
    expect(await textOf(name, [])).toBe('')
    expect((await textOf(name)).length).toBeGreaterThan(100)
  })

  test('is in the help of run -o and --reporter', () => {
    expect(JSON.stringify(runFlags.output)).toContain(ending)
    if (name !== 'json') expect(JSON.stringify(runFlags.reporter)).toContain(name)
  })

  test('names the file of a reporter', () => {
    const expected = name === 'json' ? undefined : { file: `${name}${ending}`, ending }
    expect(reportFileOf(name)).toEqual(expected)
    expect(reportFileOf(`${name}=a${ending}`)?.file).toBe(expected && `a${ending}`)
  })
})

test('a reporter that is no format names no file', () => {
  for (const reporter of ['console', 'github', 'json=events.jsonl', 'toString=x'])
    expect(reportFileOf(reporter)).toBe(undefined)
})
