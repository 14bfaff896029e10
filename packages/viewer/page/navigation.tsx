import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { linkBack } from './places.js'
import { linkTo, routeOf, type TrialRoute, trialPath } from './router.js'
import { withTried } from './text.js'

/** One step of the path from the list of runs to the current view. The last step has no link. */
export interface Crumb {
  readonly name: string
  readonly href?: string
}

/**
 * The head of a view, on one line if it fits: the path to the view, whose last step is the heading, and its children.
 * Links of the path keep the last filters of their lists. It also sets the title of the window.
 */
export function Head(props: { readonly crumbs: readonly Crumb[]; readonly children?: ComponentChildren }): JSX.Element {
  const { crumbs, children } = props
  const title = [...crumbs.map(({ name }) => name).reverse(), 'Jurist'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <div class="row head">
      <nav class="crumbs" aria-label="Breadcrumbs">
        <ol class="row small">
          {crumbs.map(({ name, href }) => (
            <li key={name}>
              {href === undefined ? (
                <h1 aria-current="page">{name}</h1>
              ) : (
                <a href={linkBack(routeOf(href).path)}>{name}</a>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {children}
    </div>
  )
}

export type Views = readonly (readonly [view: string | undefined, name: string])[]

export function Tabs(props: {
  readonly label: string
  readonly views: Views
  readonly current: string | undefined
  readonly hrefOf: (view: string | undefined) => string
}): JSX.Element {
  const { label, views, current, hrefOf } = props
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {views.map(([view, name]) => (
          <li key={name}>
            <a href={hrefOf(view)} aria-current={view === current ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Links to the previous and the next entry of the list that the reader came from. The keys `k` and `j` follow them. */
export function Neighbours<Neighbour>(props: {
  readonly previous: Neighbour | null
  readonly next: Neighbour | null
  readonly hrefOf: (neighbour: Neighbour) => string
  readonly nameOf: (neighbour: Neighbour) => JSX.Element
  /** The position of the view in its list. */
  readonly children?: JSX.Element
}): JSX.Element {
  const { previous, next, hrefOf, nameOf, children } = props
  return (
    <nav class="row beside choices" aria-label="Neighbours">
      {children}
      {previous === null ? null : (
        <a href={hrefOf(previous)} rel="prev" title="Key: k">
          ← {nameOf(previous)}
        </a>
      )}
      {next === null ? null : (
        <a href={hrefOf(next)} rel="next" title="Key: j">
          {nameOf(next)} →
        </a>
      )}
    </nav>
  )
}

/** How many letters at the end always stay visible: they distinguish `…-orders-01` from `…-orders-02`. */
const kept = 8

export function TrialLink(props: {
  readonly trial: TrialRoute
  /** Default: the trial. */
  readonly href?: string
  readonly part?: string
  /** Whether the repetition is shown. */
  readonly hasNumber?: boolean
}): JSX.Element {
  const { trial, part, href = linkTo(trialPath(trial, part)), hasNumber = true } = props
  const { itemId, repetition, tried } = trial
  const letters = [...itemId]
  return (
    <span class={hasNumber ? 'trial-name numbered' : 'trial-name'}>
      <a href={href} title={itemId} aria-label={itemId}>
        {/* Cut in its middle where it does not fit. The whole name is selected and copied. */}
        <span class="cut">
          <span class="cut-start">{letters.slice(0, -kept).join('')}</span>
          {letters.slice(-kept).join('')}
        </span>
      </a>
      {hasNumber ? <span class="quiet small">{withTried(`#${repetition}`, tried)}</span> : null}
    </span>
  )
}

export function NotFound({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: 'Not found' }]} />
      <p class="empty">{text}</p>
    </>
  )
}
