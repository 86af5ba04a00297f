// Types of icicle.js for the page of serve.
export const ROW: number;

export interface TreeParts {
  readonly parent: Int32Array;
  readonly frame: Int32Array;
  readonly self: Float64Array;
  readonly before?: Float64Array | null;
  readonly total?: Float64Array | null;
  readonly start?: Float64Array | null;
}

export class Tree {
  constructor(parts: TreeParts);
  readonly n: number;
  readonly parent: Int32Array;
  readonly frame: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly depth: Int32Array;
  readonly rows: number;
  readonly ordered: boolean;
  /** The older side of a difference, or null. */
  readonly before: Float64Array | null;
  readonly selfBefore: Float64Array | null;
  /** What older values are multiplied by; place() after a change. */
  scale: number;
  place(): void;
  readonly first: Int32Array;
  readonly children: Int32Array;
  readonly start: Float64Array;
  width(i: number): number;
}

export interface Colours {
  readonly dark: boolean;
  readonly bg: string;
  readonly panel: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly boxes: readonly string[];
  readonly plain: string;
  readonly root: string;
  readonly onBox: string;
  readonly faded: string;
  readonly found: string;
  readonly hatch: string;
}

export interface GraphOptions {
  up?: boolean;
  hideRoot?: boolean;
  found?: ((tree: Tree, i: number) => boolean) | null;
  colours: () => Colours;
  label: (tree: Tree, i: number) => string;
  colour: (tree: Tree, i: number) => string;
  rest?: (tree: Tree, i: number) => boolean;
  zoomed?: (graph: Graph) => void;
  focused?: (graph: Graph, i: number) => void;
  hovered?: (graph: Graph, i: number, x: number, y: number) => void;
  opened?: (graph: Graph, i: number) => void;
  key?: (graph: Graph, e: KeyboardEvent) => boolean;
}

export class Graph {
  constructor(scroll: HTMLElement, options: GraphOptions);
  readonly options: GraphOptions;
  readonly canvas: HTMLCanvasElement;
  readonly tree: Tree | undefined;
  zoom: number;
  focus: number;
  back: number[];
  destroy(): void;
  show(tree: Tree): void;
  ask(): void;
  draw(): void;
  resize(): void;
  toRoot(): void;
  box(i: number): [number, number];
  rowTop(depth: number): number;
  zoomTo(i: number, remember: boolean): void;
  goBack(): void;
  focusOn(i: number): void;
  point(e: MouseEvent): number;
  click(e: MouseEvent): void;
  doubleClick(): void;
  tell(i: number): void;
  next(wanted: (tree: Tree, i: number) => boolean, step: number): number;
}

export function coloursOf(dark: boolean, style: CSSStyleDeclaration): Colours;
export function tintOf(label: string, file: string): number;
