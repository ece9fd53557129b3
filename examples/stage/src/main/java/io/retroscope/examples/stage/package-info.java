/**
 * What the demonstrations share: child processes that end with their parent, slow links, a log
 * server, questions that run live and are repeated over the past, and the report.
 */
@NullMarked
package io.retroscope.examples.stage;

import org.jspecify.annotations.NullMarked;
