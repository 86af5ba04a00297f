/* Parts of the views on events of the kernel. */

-- piece: STATE_REST wanted
-- Time of the last state s before the point u that lies after u, if it is a wanted one. A state
-- without an end counts until u.
CASE WHEN s.state ${wanted}
      THEN CASE WHEN s.dur IS NULL THEN s.ts - u.ts ELSE max(s.ts + s.dur - u.ts, 0) END
      ELSE 0 END
