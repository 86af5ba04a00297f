/* What viewers show of a traced invocation when it is selected (args_view). */

-- piece: CLOUD_CALLS_WITH_ARGUMENTS
SELECT slice_id FROM cloud_tag WHERE slice_id IS NOT NULL
    UNION ALL SELECT root_slice_id FROM cloud_call WHERE root_slice_id IS NOT NULL

-- piece: CLOUD_AMOUNT name column
SELECT root_slice_id, '${name}', id, 'int64_t', ${column} FROM cloud_call
WHERE root_slice_id IS NOT NULL AND ${column} IS NOT NULL

-- piece: CLOUD_ARGUMENTS
SELECT t.slice_id, ifnull(d.word, '#' || t.word_id), t.id, 'string', ifnull(t.value, x.value)
FROM cloud_tag AS t
LEFT JOIN cloud_dictionary AS d ON d.id = t.dictionary_id
LEFT JOIN cloud_text AS x ON x.id = t.text_id
WHERE t.slice_id IS NOT NULL
UNION ALL
SELECT c.root_slice_id, ifnull(d.word, '#' || p.word_id), p.rowid, 'string', p.value
FROM cloud_call_param AS p
CROSS JOIN cloud_call AS c ON c.id = p.call_id AND c.root_slice_id IS NOT NULL
LEFT JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
UNION ALL ${CLOUD_AMOUNT|invocations|calls}
UNION ALL ${CLOUD_AMOUNT|CPU time (ns)|cpu_dur}
UNION ALL ${CLOUD_AMOUNT|waiting for locks (ns)|wait_dur}
UNION ALL ${CLOUD_AMOUNT|waiting in a queue (ns)|queue_wait_dur}
UNION ALL ${CLOUD_AMOUNT|Java VM paused (ns)|suspend_dur}
UNION ALL ${CLOUD_AMOUNT|memory (bytes)|memory}
UNION ALL ${CLOUD_AMOUNT|read from files (bytes)|file_read}
UNION ALL ${CLOUD_AMOUNT|written to files (bytes)|file_written}
UNION ALL ${CLOUD_AMOUNT|read from network (bytes)|net_read}
UNION ALL ${CLOUD_AMOUNT|written to network (bytes)|net_written}
UNION ALL ${CLOUD_AMOUNT|transactions|transactions}
UNION ALL ${CLOUD_AMOUNT|logs written (characters)|logs_written}
