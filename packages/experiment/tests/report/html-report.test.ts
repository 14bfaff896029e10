import { jury, pass, scored } from '@jurist/core'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { expect, test } from 'vitest'
import { htmlReport } from '../../src/report/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { hostileResult, payloads } from './hostile.js'

type Node = DefaultTreeAdapterMap['node']

function all(node: Node): readonly Node[] {
  return [node, ...('childNodes' in node ? node.childNodes.flatMap(all) : [])]
}

/** The elements of a page as a browser reads it. */
function elementsOf(html: string) {
  return all(parse(html)).flatMap((node) => ('tagName' in node ? [node] : []))
}

function textOf(html: string): string {
  return all(parse(html))
    .flatMap((node) => ('value' in node ? [node.value] : []))
    .join('')
}

const harmless = new Set(
  'html head meta title style body main h1 h2 h3 h4 p section div table thead tbody tr th td ul li details summary small span b code pre'.split(
    ' ',
  ),
)
const attributes = new Set(['lang', 'charset', 'http-equiv', 'content', 'name', 'class', 'scope', 'tabindex', 'open'])

test('hostile texts make no element and no attribute of their own', async () => {
  const hostile = await hostileResult()
  const html = htmlReport([hostile, { ...hostile, id: 'other' }], { includeOutputs: true })
  const elements = elementsOf(html)
  expect([...new Set(elements.map(({ tagName }) => tagName))].filter((name) => !harmless.has(name))).toEqual([])
  const names = new Set(elements.flatMap(({ attrs }) => attrs.map(({ name }) => name)))
  expect([...names].filter((name) => !attributes.has(name))).toEqual([])
  const classes = new Set(
    elements.flatMap(({ attrs }) => attrs.flatMap(({ name, value }) => (name === 'class' ? [value] : []))),
  )
  expect(
    [...classes].filter((value) => !/^(wide|number|verdict|status (pass|fail|error|abstain|undecided))$/.test(value)),
  ).toEqual([])
  expect(elements.filter(({ tagName }) => tagName === 'style')).toHaveLength(1)
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
  const lists = elementsOf(html).filter(({ tagName, attrs }) => tagName === 'ul' && attrs[0]?.value === 'verdict')
  const depth = (node: Node): number =>
    'parentNode' in node && node.parentNode !== null ? 1 + depth(node.parentNode) : 0
  const names = lists.map((list) => [
    all(list).flatMap((node) => ('tagName' in node && node.tagName === 'b' ? all(node).slice(1) : []))[0],
    depth(list),
  ])
  expect(
    names.map(([node]) => (node !== undefined && typeof node === 'object' && 'value' in node ? node.value : null)),
  ).toEqual(['verdict', 'style', 'naming', null, 'layout', 'build'])
  const depths = names.map(([, level]) => level as number)
  expect(depths[1]).toBe(depths[5])
  expect(depths[2]).toBe(depths[4])
  expect((depths[2] ?? 0) > (depths[1] ?? 0)).toBe(true)
  expect(textOf(html)).toContain('a.ts:4')
})

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
