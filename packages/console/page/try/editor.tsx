import { useEffect, useRef } from 'react';
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useWords } from '../words.ts';
import { completeBySchema } from './complete.ts';
import { faultsOf } from './faults.ts';
import type { Schema } from './offers.ts';

interface EditorProps {
  readonly text: string;
  readonly schema: Schema;
  readonly setText: (text: string) => void;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--key)' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: [tags.bool, tags.null], color: 'var(--word)' },
]);

const look = EditorView.theme({
  '&': {
    fontSize: '13px',
    minHeight: '120px',
    color: 'var(--text)',
    backgroundColor: 'var(--well)',
  },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--quiet)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--selected) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
});

/**
 * JSON as somebody types it, with what the schema knows. The text is the editor's own: it is read from there, and only another
 * text from outside is put in. It stands in a shadow tree, where its styles need no exception from the policy of the page.
 */
export function Editor({ text, schema, setText }: EditorProps) {
  const say = useWords();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const take = useRef(setText);
  take.current = setText;
  const label = say('arguments');
  useEffect(() => {
    const host = place.current;
    if (host === null) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          json(),
          syntaxHighlighting(colours),
          autocompletion({ override: [completeBySchema(schema)] }),
          linter(jsonParseLinter()),
          linter(({ state }) => faultsOf(state, schema)),
          lintGutter(),
          look,
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.lineWrapping,
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) take.current(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
    // The text that is there later is put in below.
  }, [schema, label]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const now = editor.state.doc.toString();
    if (now !== text) editor.dispatch({ changes: { from: 0, to: now.length, insert: text } });
  }, [text]);
  return <div className="editor" ref={place} />;
}
