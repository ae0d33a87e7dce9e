// SPDX-License-Identifier: MIT
// The list of all cases.

extension KernelCase {
    /// One for each kernel of `KernelList.h`.
    package static let all: [KernelCase] = [
        splitPacked422, splitPairs,
        unpackWords, unpackPixels, roundCodes, warpFineDifferences,
        tileMoments, tilePowers, addPowers,
        addRow, meanRow, byteRow,
        halveBytes, halveWords, meanCells,
        tileSlopes, tileDifferences, tileDistances,
        widenCodes, warpDifferences,
        spreadSums, sumSquares, mergeRows,
        matchLuma, matchChroma, matchGrey, matchClippedLuma, matchClippedChroma,
        compareSquares, rowDistance,
        liftGrey, liftColors,
        widenRow, quotientRow, narrowRow, quarterRow, textureSum, textureFloors, patchesLike8, patchesLike4,
        collaborate, collaborateAgain,
        denoiseStrip, denoiseActivity, denoiseActivityBytes, denoiseGains, denoiseLevels, denoiseBlocks,
        denoiseBlocksBytes,
        liveMove, liveSpread, liveSquares, liveBlend, liveFinish,
        viewDown, viewAcross,
        gatherQuads, boxAcross, boxDown, guideProducts, guideLines, weighBehind, divideBehind, matteRow, enlargeRow,
        steadyMatte, enlargeMatte, netRow, netTurnedRow, blendBytes, drawSprite, pairAlphas,
        lightLuma, lightChroma,
        takeDepth, takeConfidence, steadyDepth, fillDepthHoles, guideDepth, projectDepth, layDepth, fuseDepth,
        colorDepth,
    ]
}
