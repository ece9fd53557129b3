// SPDX-License-Identifier: Apache-2.0
/**
 * Statements that do not walk cuts, and the statements in progress.
 *
 * <p>Each kind of statement has a class with its text and the events that it reads, and a method
 * that sends its rows: {@link io.retroscope.rql.engine.statement.CatalogStatements} for SHOW,
 * DESCRIBE and KILL QUERY, {@code AlertStatements}, {@code ForgetStatement}, {@code
 * DetectionStatement} for POSSIBLY and DEFINITELY, {@code ExplainCutStatement}. What needs a server
 * is behind an interface that the server implements: {@link
 * io.retroscope.rql.engine.statement.AlertRegister} and {@link
 * io.retroscope.rql.engine.statement.NodeRegister}.
 *
 * <p>{@link io.retroscope.rql.engine.statement.RunningQueries} has a ticket of every statement
 * while it runs, whatever its kind, so that SHOW QUERIES lists it and KILL QUERY ends it. {@link
 * io.retroscope.rql.engine.statement.StackGuard} turns an exhausted stack into an error of the
 * statement. {@code ReadStatements} keeps the last short texts parsed.
 */
@NullMarked
package io.retroscope.rql.engine.statement;

import org.jspecify.annotations.NullMarked;
