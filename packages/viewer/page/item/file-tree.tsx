import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

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

interface TreeFile {
  readonly path: string
}

interface Directory<File> {
  readonly name: string
  readonly path: string
  readonly directories: readonly Directory<File>[]
  readonly files: readonly File[]
}

/** Builds the tree of files. A directory that contains only a directory shares its line: `src/main/java`. */
export function treeOf<File extends TreeFile>(files: readonly File[], path = ''): Directory<File> {
  const below = new Map<string, File[]>()
  const here: File[] = []
  for (const file of files) {
    const end = file.path.indexOf('/', path.length)
    if (end < 0) here.push(file)
    else {
      const name = file.path.slice(path.length, end)
      const inside = below.get(name)
      if (inside === undefined) below.set(name, [file])
      else inside.push(file)
    }
  }
  const directories = [...below].map(([name, inside]) => joined({ ...treeOf(inside, `${path}${name}/`), name }))
  return { name: '', path, directories, files: here }
}

function joined<File>(directory: Directory<File>): Directory<File> {
  const [only, ...others] = directory.directories
  if (only === undefined || others.length > 0 || directory.files.length > 0) return directory
  return { ...only, name: `${directory.name}/${only.name}` }
}
