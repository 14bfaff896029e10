import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Directory, type TreeFile, treeOf } from './directories.js'

interface TreeProps<File> {
  readonly current: string | undefined
  readonly hrefOf: (path: string) => string
  /** Returns what precedes the name of a file. */
  readonly mark?: (file: File) => ComponentChildren
}

/** Trees of at most this many files are expanded. */
const maxOpenFiles = 60

export function FileTree<File extends TreeFile>({
  label,
  files,
  ...props
}: TreeProps<File> & { readonly label: string; readonly files: readonly File[] }): JSX.Element {
  return (
    <nav class="file-tree" aria-label={label}>
      <Entries directory={treeOf(files)} isOpenAtFirst={files.length <= maxOpenFiles} {...props} />
    </nav>
  )
}

interface EntriesProps<File> extends TreeProps<File> {
  readonly directory: Directory<File>
  readonly isOpenAtFirst: boolean
}

function Entries<File extends TreeFile>({ directory, ...props }: EntriesProps<File>): JSX.Element {
  const { current, hrefOf, mark } = props
  return (
    <ul>
      {directory.directories.map((inner) => (
        <li key={inner.path}>
          <Branch directory={inner} {...props} />
        </li>
      ))}
      {directory.files.map((file) => (
        <li key={file.path}>
          <a
            class="one-line"
            href={hrefOf(file.path)}
            aria-current={file.path === current ? 'true' : undefined}
            title={file.path}
          >
            {mark?.(file)}
            {file.path.slice(directory.path.length)}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The contents of a directory are created when it is opened. */
function Branch<File extends TreeFile>(props: EntriesProps<File>): JSX.Element {
  const { directory, current, isOpenAtFirst } = props
  const [isOpen, setOpen] = useState(isOpenAtFirst || current?.startsWith(directory.path) === true)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="one-line">{directory.name}</summary>
      {isOpen ? <Entries {...props} /> : null}
    </details>
  )
}
