import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Scroller } from '../table.js'
import { plainText } from '../text.js'

/**
 * Renders Markdown as elements, never as markup: HTML in it is shown as it is written, images become links. With
 * `isRaw`, the source is shown.
 */
export function Markdown({ text, isRaw = false }: { readonly text: string; readonly isRaw?: boolean }): JSX.Element {
  const plain = plainText(text)
  const tokens = useMemo(() => (isRaw ? undefined : markdownTokens(plain)), [plain, isRaw])
  return tokens === undefined ? (
    <p class="prose">{plain}</p>
  ) : (
    <div class="markdown">
      <Blocks tokens={tokens} />
    </div>
  )
}

function Blocks({ tokens }: { readonly tokens: readonly Token[] }): JSX.Element {
  return (
    <>
      {tokens.map((token, index) => (
        <Block token={token as MarkedToken} key={index} />
      ))}
    </>
  )
}

function Block({ token }: { readonly token: MarkedToken }): JSX.Element | null {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // Not a heading element: readers who navigate by headings should find only those of the page.
      return (
        <p class={`heading heading-${Math.min(token.depth, 4)}`}>
          <Inlines tokens={token.tokens} />
        </p>
      )
    case 'paragraph':
      return (
        <p>
          <Inlines tokens={token.tokens} />
        </p>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      )
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return <List list={token} />
    case 'table':
      return <MarkdownTable table={token} />
    case 'hr':
      return <hr />
    case 'html':
      return <p class="code">{token.raw.trimEnd()}</p>
    default:
      return <Inline token={token} />
  }
}

function List({ list: { ordered, start, items } }: { readonly list: Tokens.List }): JSX.Element {
  const lines = items.map(({ task, checked, tokens }, index) => (
    <li key={index} class={task ? 'task' : undefined}>
      {task ? (
        <span role="img" aria-label={checked ? 'done' : 'to do'}>
          {checked ? '☑ ' : '☐ '}
        </span>
      ) : null}
      <Blocks tokens={tokens.filter(({ type }) => type !== 'checkbox')} />
    </li>
  ))
  return ordered ? <ol start={typeof start === 'number' ? start : 1}>{lines}</ol> : <ul>{lines}</ul>
}

function MarkdownTable({ table: { header, rows } }: { readonly table: Tokens.Table }): JSX.Element {
  return (
    <Scroller label="Table">
      <table class="compact">
        <thead>
          <tr>
            {header.map(({ tokens, align }, index) => (
              <th scope="col" key={index} class={align === 'right' ? 'number' : undefined}>
                <Inlines tokens={tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens, align }, index) => (
                <td key={index} class={align === 'right' ? 'number' : undefined}>
                  <Inlines tokens={tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function Inlines({ tokens }: { readonly tokens: readonly Token[] }): JSX.Element {
  return (
    <>
      {tokens.map((token, index) => (
        <Inline token={token as MarkedToken} key={index} />
      ))}
    </>
  )
}

function Inline({ token }: { readonly token: MarkedToken }): JSX.Element {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inlines tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inlines tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inlines tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <MarkdownLink href={token.href} text={token.text} tokens={token.tokens} />
    case 'image':
      return <MarkdownLink href={token.href} text={token.text} tokens={[]} kind="image" />
    case 'text':
      if (token.tokens !== undefined) return <Inlines tokens={token.tokens} />
      return <>{withoutReferences(token.text)}</>
    case 'escape':
      return <>{token.text}</>
    default:
      return <>{token.raw}</>
  }
}

/**
 * A link with its address next to it, since its label may claim another one. Addresses outside the web are plain text.
 */
function MarkdownLink(props: {
  readonly href: string
  readonly text: string
  readonly tokens: readonly Token[]
  readonly kind?: 'link' | 'image'
}): JSX.Element {
  const { href, text, tokens, kind = 'link' } = props
  const address = webAddress(href)
  const content = kind === 'image' ? `image: ${text === '' ? href : text}` : <Inlines tokens={tokens} />
  const shown = text === href || text === address ? null : <span class="quiet small"> ({address ?? href})</span>
  return (
    <>
      {address === undefined ? (
        content
      ) : (
        <a href={address} rel="noopener noreferrer" target="_blank">
          {content}
        </a>
      )}
      {shown}
    </>
  )
}

/** Longer strings are shown as recorded, since rendering them takes seconds. */
const maxText = 60_000

/**
 * Longer paragraphs are shown without emphasis and links, since finding these takes quadratic time in hostile input.
 */
const maxInline = 4_000

/**
 * Reads the tokens of Markdown (GitHub's dialect, in which a line break in the source is a line break). Returns
 * `undefined` if the source is too long or too deeply nested.
 */
export function markdownTokens(text: string): readonly MarkedToken[] | undefined {
  if (text.length > maxText) return undefined
  const lexer = new Lexer({ gfm: true, breaks: true })
  try {
    const blocks = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), [])
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length > maxInline) tokens.push({ type: 'text', raw: src, text: src } as Token)
      else lexer.inlineTokens(src, tokens)
    }
    return isShallow(blocks, 0) ? (blocks as MarkedToken[]) : undefined
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

const maxDepth = 40

function isShallow(tokens: readonly Token[], depth: number): boolean {
  if (depth > maxDepth) return false
  return tokens.every((token) => isShallow(childrenOf(token), depth + 1))
}

function childrenOf(token: Token): readonly Token[] {
  const one = token as MarkedToken
  if (one.type === 'list') return one.items
  if (one.type === 'table') return [one.header, ...one.rows].flat().flatMap(({ tokens }) => tokens)
  return 'tokens' in one ? (one.tokens ?? []) : []
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

/** Replaces character references (`&lt;`, `&#8230;`) by their characters. Unknown ones stay. */
export function withoutReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
  })
}

/**
 * Returns the address of a link that may be followed; `undefined` unless it is an absolute address of http or https.
 */
export function webAddress(href: string): string | undefined {
  const address = URL.canParse(href) ? new URL(href) : undefined
  return address?.protocol === 'http:' || address?.protocol === 'https:' ? address.href : undefined
}
