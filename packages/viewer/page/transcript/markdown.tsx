import type { MarkedToken, Token, Tokens } from 'marked'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Scroller } from '../table.js'
import { plainText } from '../text.js'
import { markdownTokens, webAddress, withoutReferences } from './markdown-tokens.js'

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
