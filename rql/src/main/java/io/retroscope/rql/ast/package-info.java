/** The syntax tree of RQL: sealed records, each with its place in the text. */
@NullMarked
package io.retroscope.rql.ast;

import org.jspecify.annotations.NullMarked;
