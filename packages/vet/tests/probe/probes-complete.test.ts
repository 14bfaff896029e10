import { readFileSync } from 'node:fs'
import { probes } from '@jurist/vet'
import { expect, test } from 'vitest'

const fixtures = [
  'known-breaks.test.ts',
  'probes-answers.test.ts',
  'probes-full.test.ts',
  'probes-isolated.test.ts',
  'probes-javascript.test.ts',
  'probes-leaks.test.ts',
  'probes-python.test.ts',
  'probes-harbor.test.ts',
  '../../../../tests/toolchains/probes.toolchain.ts',
]
const texts = fixtures.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')

test.each(probes.map(({ name }) => name).filter((name) => name !== 'idle'))('%s has a fixture', (name) => {
  expect(texts).toMatch(new RegExp(`^\\s*'?${name}'?(?:,|:)|\\['${name}'\\]|[{,] '?${name}'?:|probe: '${name}'`, 'm'))
})
