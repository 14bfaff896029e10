import { jury, pass, scored } from '@jurist/core'
import { expect, test } from 'vitest'
import { htmlReport } from '../../src/report/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { hostileResult, payloads } from './hostile.js'
import { allOf, type Element, treeOf } from './markup-tree.js'

/** The elements of a page that is well-formed. */
const elementsOf = (html: string): readonly Element[] => allOf(treeOf(html))
const textOf = (html: string): string =>
  elementsOf(html)
    .map(({ text }) => text)
    .join(' ')

const harmless = new Set(
  'html head meta title style body main h1 h2 h3 h4 p section div table thead tbody tr th td ul li details summary small span b code pre'.split(
    ' ',
  ),
)
const classNames = /^(wide|number|verdict|status (pass|fail|error|abstain|undecided))$/
const known = new Set(['lang', 'charset', 'http-equiv', 'content', 'name', 'class', 'scope', 'tabindex', 'open'])

test('hostile texts make no element and no attribute of their own', async () => {
  const hostile = await hostileResult()
  const html = htmlReport([hostile, { ...hostile, id: 'other' }], { includeOutputs: true })
  const elements = elementsOf(html)
  expect([...new Set(elements.map(({ name }) => name))].filter((name) => !harmless.has(name))).toEqual([])
  const names = new Set(elements.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...names].filter((name) => !known.has(name))).toEqual([])
  const classes = new Set(elements.flatMap(({ attributes }) => attributes['class'] ?? []))
  expect([...classes].filter((value) => !classNames.test(value))).toEqual([])
  expect(elements.filter(({ name }) => name === 'style')).toHaveLength(1)
  expect(html).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
  expect(textOf(html)).toContain(payloads[3])
})

test('needs no network: nothing in it names an address, and its policy forbids every request', async () => {
  const html = htmlReport([aResult()])
  expect(html).not.toMatch(/https?:\/\/|url\(|@import|src=|href=/)
  expect(html).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'\"")
})

test('shows the tree of a verdict with its checks', async () => {
  const check = { name: 'line', passed: false, message: 'too long', location: { path: 'a.ts', line: 4 } }
  const style = jury({
    judges: { naming: () => scored(0.25, { passingAt: 0.5, checks: [check] }), layout: () => pass('ok') },
  })
  const verdict = await jury({ judges: { style, build: () => pass('built') } }).vote({})
  const html = htmlReport([aResult({ items: [anItem({ verdict, judged: 'fail', passed: false })] })])
  expect(outline(treeOf(html))).toEqual([
    'verdict',
    '  style',
    '    naming',
    '      line too long a.ts:4',
    '    layout',
    '  build',
  ])
})

/** The lists of a page: a line for each entry, as deep as it stands. */
function outline(whole: Element, depth = -1): readonly string[] {
  const inner = whole.name === 'ul' ? depth + 1 : depth
  const [first] = whole.children
  if (whole.name !== 'li' || first?.name !== 'p') return whole.children.flatMap((child) => outline(child, inner))
  const label =
    first.children.find(({ name }) => name === 'b')?.text ??
    allOf(first)
      .slice(0, 1)
      .map(({ text }) => text.trim())
      .join('')
  const place = first.children.find(({ name }) => name === 'code')?.text
  const line = `${'  '.repeat(depth)}${label}${place === undefined ? '' : ` ${place}`}`
  return [line, ...whole.children.slice(1).flatMap((child) => outline(child, inner))]
}

test('shows outputs only when asked to', () => {
  const detail = {
    kind: 'agent',
    invocation: { status: 'completed', output: { type: 'text', text: 'the answer' } },
  } as const
  const result = aResult({ items: [anItem({ detail })] })
  expect(htmlReport([result])).not.toContain('the answer')
  expect(htmlReport([result], { includeOutputs: true })).toContain('the answer')
})

test('of several results tells how they grew', () => {
  const plain = aResult({ variant: 'plain', items: [anItem({ passed: false, judged: 'fail' })] })
  const better = aResult({
    variant: 'better',
    configuration: { iteration: { finding: 'too terse', hypothesis: 'a plan' } },
  })
  const text = textOf(htmlReport([plain, better]))
  for (const part of [
    'experiment: how it grew',
    'Variants',
    'Finding: too terse',
    'Hypothesis: a plan',
    'Improved (1)',
  ])
    expect(text).toContain(part)
})
