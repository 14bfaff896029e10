import { error, fail, type JsonObject, jury, pass, type Verdict } from '@jurist/core'
import type { ExperimentResult } from '../../src/result/index.js'
import { anItem, aResult } from '../../src/testing/index.js'

/** What a model, an item or a file may say to whatever shows it. */
export const payloads: readonly string[] = [
  '\u001b[2J\u001b[1;31mred\u001b]0;title\u0007\u009b31m\u001bP1$r\u001b\\end',
  '::error file=x.ts,line=1::taken over',
  'one\n::set-output name=a::b\r\n##[error]two',
  '<script>alert(1)</script><img src=x onerror="alert(1)">',
  "\"><svg onload=alert(1)>' autofocus onfocus=alert(1) x='",
  ']]></failure></testcase><testcase name="made up"/>',
  "=cmd|'/C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1,1)',
  '\t=1+1',
  '\u0000\u0001\u0008\u000b\u000c\u001f\u007f\ufffe\uffff',
  'half \ud800 of a pair \udfff',
  'a | b | c\n| --- |\n# heading\n- list',
  '[link](javascript:alert(1)) ![image](https://evil.example/x.png) https://evil.example',
  '`code` ```fence``` **bold** _it_ ~~gone~~ @everyone &lt;b&gt; $x$ <!-- comment -->',
  '</style></pre></td></table>',
  '\u202egnirts\u2066 \u2028line\u2029',
  '%0A::warning::encoded %25',
]

/** A result in which every text that comes from outside is one of the payloads, each in its own trial. */
export async function hostileResult(): Promise<ExperimentResult> {
  const items = await Promise.all(
    payloads.map(async (text, index) =>
      anItem({
        itemId: `item-${index}`,
        itemSlug: text,
        bucket: text,
        tags: [text],
        task: text,
        judged: index % 2 === 0 ? 'fail' : 'error',
        agent: index % 5 === 0 ? 'error' : 'completed',
        passed: index % 2 === 0 ? false : null,
        failure:
          index % 3 === 0 ? { name: text, message: text, code: text, origin: 'agent', infrastructure: false } : null,
        verdict: await hostileVerdict(text),
        scores: { [text]: 0.5 },
        metadata: { [text]: text } satisfies JsonObject,
        detail: {
          kind: 'agent',
          invocation: {
            status: 'completed',
            output: { type: 'text', text },
            phases: [
              {
                name: text,
                text,
                toolUses: [{ id: '1', name: text, input: { [text]: text } }],
                toolResults: [{ toolUseId: '1', content: text, failed: true }],
              },
            ],
          },
        },
      }),
    ),
  )
  const [first = ''] = payloads
  return aResult({
    experimentName: 'hostile',
    items,
    variant: 'loud',
    dataset: { ...aResult().dataset, name: first, version: payloads[3] ?? '' },
    configuration: { iteration: { finding: payloads[13] ?? '', hypothesis: payloads[3] ?? '' } },
    metadata: { note: payloads[3] ?? '' },
  })
}

async function hostileVerdict(text: string): Promise<Verdict> {
  return jury({
    judges: {
      says: () =>
        fail(text, {
          checks: [
            { name: text === '' ? 'x' : `c${text}`, passed: false, message: text, location: { path: text, line: 3 } },
          ],
          metadata: { note: text },
        }),
      breaks: () => error(`e${text}`),
      agrees: () => pass(text),
    },
  }).vote({})
}
