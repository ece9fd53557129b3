/**
 * Contracts of the two kinds of extension: sinks, which deliver blocks of events, and carriers,
 * which take stamps along with messages. A test class extends the contract of what it tests.
 */
@NullMarked
package io.retroscope.contract;

import org.jspecify.annotations.NullMarked;
