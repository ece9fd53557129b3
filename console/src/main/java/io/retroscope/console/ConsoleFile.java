// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

/**
 * One file of the console's page. Immutable; its bytes are not copied and must not be changed.
 *
 * @param mediaType the value of {@code Content-Type}
 * @param gzipped the bytes in the format of gzip
 * @param tag the value of {@code ETag}, with quotes
 * @param isPinned whether its path names a version, so that it never has other bytes
 */
@SuppressWarnings("ArrayRecordComponent")
public record ConsoleFile(
    String mediaType, byte[] bytes, byte[] gzipped, String tag, boolean isPinned) {}
