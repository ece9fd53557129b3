/** A log that is shipped from a file to sockets: are acknowledged bytes on two disks? */
@NullMarked
package io.retroscope.examples.zerocopy;

import org.jspecify.annotations.NullMarked;
