#include "tables/schema.h"

const ts_view ts_views[] = {
    {"args_view", "Arguments with their names and texts resolved.",
     "CREATE VIEW args_view AS"
     " SELECT A.argset AS argset, V2.data AS keyName, A.id AS id, D.desc AS desc,"
     " CASE WHEN A.datatype = 1 THEN V.data ELSE A.value END AS strValue"
     " FROM args AS A"
     " LEFT JOIN data_type AS D ON D.typeId = A.datatype"
     " LEFT JOIN data_dict AS V ON V.id = A.value"
     " LEFT JOIN data_dict AS V2 ON V2.id = A.key"},
};

const unsigned ts_view_count = sizeof ts_views / sizeof ts_views[0];
