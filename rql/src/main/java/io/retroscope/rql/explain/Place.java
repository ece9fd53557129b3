// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.rql.cut.state.VariableColumn;

/** A variable at a node, which has a value at a cut or has none. */
record Place(VariableColumn column, int node) {}
