/*
pictures.h - pictures of the results of a sweep, as SVG

USE      pictures_draw() draws what the sweep file asks for, in sections [lines], [map] and [tornado]. If it asks for nothing:
         lines for one parameter, lines and a map for two, a tornado for more.

LINES    The mean of a result over a parameter, with a line for each value of another one, at most 8 of them, evenly chosen. The
         band is the 95 % interval of the mean over the seeds if no other parameter varies, otherwise the middle 95 % of the
         points at this place. Parameters that can have any value are shown in equally likely classes.

MAP      The mean over two parameters as a colour. Colours are in order of lightness, so they can be read in grey; their scale is
         logarithmic if the largest mean is more than 20 times the smallest.

TORNADO  A bar for each parameter, at most 12, from the mean where it is lowest to the mean where it is highest. A thin line goes
         from the smallest to the largest mean over its values, and shows an optimum between.

FILES    FOLDER/NAME-PICTURE.svg; NAME is that of the results without .csv. A file is written as FILE.part and then renamed, so
         it is always whole.
*/
/** @file */
#ifndef PICTURES_H
#define PICTURES_H

#include "sweep.h"

/** Draws all pictures.
 *
 *  @param[in]  folder  Where; it exists.
 *  @param[in]  call    Gets the path of each picture when it is done; NULL: nobody asks.
 *  @param[in]  user    Passed to it.
 *  @param[out] why     why[SWEEP_WHY]: what failed.
 *  @return  Whether all were drawn.
 *  @cost    O(points * parameters) for each picture; 20 bytes for each point.
 */
bool pictures_draw(const sweep *s, const char *folder, void (*call)(void *user, const char *path), void *user,
                   char *why);

#endif
