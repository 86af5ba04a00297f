SELECT stack, weight FROM v_stack_folded ORDER BY stack;
SELECT method, self, total FROM v_stack_hot_method ORDER BY method;
